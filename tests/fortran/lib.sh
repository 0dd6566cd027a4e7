# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# shellcheck shell=bash
#
# Jobs of the Fortran workers.

. "$(dirname "${BASH_SOURCE[0]}")/../tree/lib.sh"

if [ "$(config HAVE_FORTRAN)" != 1 ] || [ "$(config HAVE_MPI)" != 1 ]; then
	echo "1..0 # SKIP no Fortran here"
	exit 4
fi

if [ "$(id -u)" -eq 0 ]; then
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

# job RANKS WORKER CASE: prints what its ranks print
job()
{
	mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -np "$1" \
		"$TEST_BUILD/tests/fortran/$2_worker" "$3" < /dev/null 2>&1
}

# every_rank RANKS WORKER CASE: every rank says that it passed
every_rank()
{
	local rank

	job "$@" > "$scratch/job" || { cat "$scratch/job"; return 1; }
	for ((rank = 0; rank < $1; rank++)); do
		grep -qx "passed $3 on rank $rank" "$scratch/job" && continue
		cat "$scratch/job"
		echo "rank $rank of $1 did not say that it passed"
		return 1
	done
}

# on RANKS-LIST WORKER CASE: for each number of ranks
on()
{
	local number

	for number in $1; do
		every_rank "$number" "$2" "$3" || return 1
	done
}

# passes WORKER CASE RANKS-LIST SENTENCE
passes()
{
	succeeds "$4" on "$3" "$1" "$2"
}

# says WORKER CASE RANKS TEXT...: one of the ranks says each text, whether it passes or not
says()
{
	local text

	job "$3" "$1" "$2" > "$scratch/job"
	for text in "${@:4}"; do
		grep -qF -e "$text" "$scratch/job" && continue
		cat "$scratch/job"
		echo "nobody said: $text"
		return 1
	done
}
