#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# ScaLAPACK's p?gemr2d and the library that replaces them.

. "$(dirname "$0")/../tree/lib.sh"

if [ "$(config HAVE_SCALAPACK)" != 1 ] || [ "$(config HAVE_MPI)" != 1 ]; then
	echo "1..0 # SKIP no ScaLAPACK here"
	exit 4
fi
if [ "$(id -u)" -eq 0 ]; then
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
library=$TEST_BUILD/libequant_gemr2d.so.0
preload=(-x "LD_LIBRARY_PATH=$TEST_BUILD" -x "LD_PRELOAD=$library")

# job RANKS ARGUMENT...: in not more than half a minute
job()
{
	timeout 30 mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 \
		--mca btl_base_warn_component_unused 0 -np "$@" < /dev/null 2>&1
}

# same RANKS: all parts of all types are ScaLAPACK's
same()
{
	job "$1" -x "LD_LIBRARY_PATH=$TEST_BUILD" "$TEST_BUILD/tests/gemr2d/compare_worker" \
		"$library" > "$scratch/job"
	[ $? -eq 0 ] && [ "$(grep -c '^passed' "$scratch/job")" -eq "$1" ] && return
	cat "$scratch/job"
	return 1
}

# solves ARGUMENT...: the program's solution is right, and left in the file solution
solves()
{
	job 4 "$@" > "$scratch/solution" &&
		grep -q '^info=0 residual small solution=[0-9a-f]*$' "$scratch/solution" && return
	cat "$scratch/solution"
	return 1
}

# like_theirs ARGUMENT...: the same bits as with ScaLAPACK's own
like_theirs()
{
	solves "$@" && diff "$scratch/theirs" "$scratch/solution"
}

# Links the program as its makefile would, with one library more in front.
link()
{
	# shellcheck disable=SC2046
	gcc -o "$scratch/program" "$TEST_BUILD/tests/gemr2d/program_worker.o" -L"$TEST_BUILD" \
		-lequant_gemr2d -lequant $(config SCALAPACK_LIBS) $(config MPI_LIBS) -lm
}

# has_ours PROGRAM ARGUMENT...: the symbol that the program calls is of our library, as the linker says
has_ours()
{
	local program=$1

	shift
	job 1 "$@" -x LD_DEBUG=bindings -x LD_BIND_NOW=1 "$program" > "$scratch/bindings"
	grep -q "/${program##*/} .* to .*: normal symbol .pdgemr2d_'" "$scratch/bindings" || return 2
	grep -q "/${program##*/} .* to .*/libequant_gemr2d.so.0 .*: normal symbol .pdgemr2d_'" \
		"$scratch/bindings"
}

linked()
{
	link && like_theirs -x "LD_LIBRARY_PATH=$TEST_BUILD" "$scratch/program" &&
		has_ours "$scratch/program" -x "LD_LIBRARY_PATH=$TEST_BUILD"
}

# The solution alone would be the same without.
preloaded()
{
	local program=$TEST_BUILD/tests/gemr2d/program_worker

	like_theirs "${preload[@]}" "$program" && has_ours "$program" "${preload[@]}" || return 1
	has_ours "$program"
	[ $? -eq 1 ]
}

# refuses CASE TEXT: soon, with an error, and says TEXT
refuses()
{
	job 3 "${preload[@]}" "$TEST_BUILD/tests/gemr2d/fault_worker" "$1" > "$scratch/job"
	case $? in
	0 | 124) ;;
	*) grep -qF "$2" "$scratch/job" && ! grep -q 'came back' "$scratch/job" && return ;;
	esac
	cat "$scratch/job"
	return 1
}

plan 9
succeeds "168 random parts of all types are ScaLAPACK's on 3 processes" same 3
succeeds "168 random parts of all types are ScaLAPACK's on 8 processes" same 8
succeeds "a program solves its equations with ScaLAPACK's own" \
	solves "$TEST_BUILD/tests/gemr2d/program_worker"
mv "$scratch/solution" "$scratch/theirs"
succeeds "LD_PRELOAD replaces them in the same program, with the same solution" \
	preloaded
succeeds "linking replaces them, with the same solution" linked
succeeds "blocks of no elements are refused" refuses zero "matrix a: blocks of 0 x 1 elements"
succeeds "descriptors that differ are refused, and nobody waits" refuses differ \
	"row blocks of a: 2 on one rank, 5 on another"
succeeds "elements that are read and written are refused" refuses alias \
	"elements are read and written"
succeeds "a process outside of the context is refused" refuses context \
	"pdgemr2d: this process is not in context -1"
finish
