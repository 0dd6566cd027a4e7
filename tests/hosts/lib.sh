# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# shellcheck shell=bash
#
# What tests of jobs on several hosts have in common.

. "$(dirname "${BASH_SOURCE[0]}")/../tree/lib.sh"

# What has been started ends with the test: by these traps, and if there is no time for them, as the
# kernel tells it.
job_pid=
end_job()
{
	if [ -n "$job_pid" ]; then
		kill -TERM "$job_pid" 2> /dev/null
		wait "$job_pid" 2> /dev/null
	fi
	rm -rf "$scratch"
}
trap end_job EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# limited SECONDS COMMAND...: ended if it takes longer
limited()
{
	local seconds=$1 status

	shift
	# Of a group of its own it does not ignore what interrupts it; and waiting can be interrupted.
	set -m
	setpriv --pdeathsig TERM timeout -k 2 "$seconds" "$@" < /dev/null &
	set +m
	job_pid=$!
	wait "$job_pid"
	status=$?
	job_pid=
	return $status
}

# Prints what is missing for several hosts on one machine.
missing_for_hosts()
{
	[ "$(id -u)" -eq 0 ] || { echo "several hosts on one machine need root"; return; }
	command -v mpirun > /dev/null || { echo "mpirun is missing"; return; }
	tests/hosts/hosts -n 2 true 2>&1
}

# job RANKS WORKER CASE [NAME=VALUE]...: two hosts with half of the ranks each; output in $scratch/output.
# A job that hangs is ended.
job()
{
	local ranks=$1 worker=$TEST_BUILD/tests/$2 case=$3

	shift 3
	limited 30 env "$@" tests/hosts/hosts -n 2 mpirun --oversubscribe --bind-to none \
		--host "h0:$((ranks / 2)),h1:$((ranks - ranks / 2))" -np "$ranks" "$worker" "$case" \
		> "$scratch/output" 2>&1
}

# passes SENTENCE RANKS WORKER CASE [NAME=VALUE]...: ok when every rank says so
passes()
{
	local sentence=$1 ranks=$2 case=$4 status r

	shift
	job "$@"
	status=$?
	for ((r = 0; r < ranks; r++)); do
		grep -q "^passed $case on rank $r\$" "$scratch/output" || status=1
	done
	[ $status -eq 0 ] || sed 's/^/# /' "$scratch/output"
	report $status "$sentence"
}

# fails SENTENCE RANKS WORKER CASE [NAME=VALUE]...: ok when mpirun does, by itself
fails()
{
	local sentence=$1 status start=$SECONDS

	shift
	job "$@"
	status=$?
	if [ $status -eq 0 ] || [ $((SECONDS - start)) -ge 25 ]; then
		sed 's/^/# /' "$scratch/output"
		report 1 "$sentence"
	else
		report 0 "$sentence"
	fi
}

# What is seen of namespaces and devices from outside.
seen()
{
	cat /proc/self/mounts
	ls /run/netns /sys/class/net 2>&1
}

# leaves_nothing OPTION WORD: two results, of hosts made so
leaves_nothing()
{
	local status

	seen > "$scratch/before"
	{ tests/hosts/hosts "$@" sh -c 'kill -9 $$'; } 2> /dev/null
	status=$?
	seen > "$scratch/after"
	succeeds "nothing is left of hosts whose job was killed" \
		cmp "$scratch/before" "$scratch/after"
	[ $status -eq 137 ]
	report $? "what the command on the hosts ended with is known"
}
