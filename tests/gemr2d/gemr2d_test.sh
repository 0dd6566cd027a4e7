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
	timeout $((30 * ${TEST_FACTOR:-1})) mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 \
		--mca btl_base_warn_component_unused 0 -np "$@" < /dev/null 2>&1
}

# same RANKS [OPTION...]: all parts of all types are ScaLAPACK's
same()
{
	job "$1" "${@:2}" -x "LD_LIBRARY_PATH=$TEST_BUILD" "$TEST_BUILD/tests/gemr2d/compare_worker" \
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

# fortran OPTION...: the program in Fortran is right
fortran()
{
	job 4 "$@" "$scratch/fortran" > "$scratch/job" && grep -qx 'all elements are at their places' "$scratch/job" &&
		return
	cat "$scratch/job"
	return 1
}

# bound CALLER NAME: as the linker says, the program's or library's NAME is of ours where that is preloaded
bound()
{
	job 1 "${preload[@]}" -x LD_DEBUG=bindings -x LD_BIND_NOW=1 "$scratch/fortran" > "$scratch/bindings"
	grep -q "/$1 .* to .*/libequant_gemr2d.so.0 .*: normal symbol .$2'" "$scratch/bindings"
}

# compiled OPTION...: the program in Fortran, as the documentation links it
compiled()
{
	# shellcheck disable=SC2046
	"${FC:-gfortran}" -Wall -Werror -o "$scratch/fortran" tests/gemr2d/program.f90 "$@" $(config SCALAPACK_LIBS) \
		$(config MPI_LIBS)
}

# Four results.
fortran_results()
{
	local sentence=("a program in Fortran moves doubles and complex numbers, and has ScaLAPACK move some"
		"... linked with ours, as the documentation says" "... with ours preloaded"
		"... which ScaLAPACK's own routines call, too")

	if [ "$(config HAVE_FORTRAN)" != 1 ]; then
		for one in "${sentence[@]}"; do skip "$one" "no Fortran here"; done
		return
	fi
	succeeds "${sentence[0]}" eval compiled '&&' fortran
	succeeds "${sentence[2]}" eval fortran '"${preload[@]}"' '&&' bound fortran pzgemr2d_
	succeeds "${sentence[3]}" bound 'libscalapack[^ ]*' pdgemr2d_
	succeeds "${sentence[1]}" eval compiled '-L"$TEST_BUILD"' -lequant_gemr2d -lequant '&&' \
		fortran -x '"LD_LIBRARY_PATH=$TEST_BUILD"'
}

# refuses CASE TEXT [OPTION...]: soon, with an error, and says TEXT
refuses()
{
	job 3 "${preload[@]}" "${@:3}" "$TEST_BUILD/tests/gemr2d/fault_worker" "$1" > "$scratch/job"
	case $? in
	0 | 124) ;;
	*) grep -qF "$2" "$scratch/job" && ! grep -q 'came back' "$scratch/job" && return ;;
	esac
	cat "$scratch/job"
	return 1
}

# network RANKS: a thin link, and a port of two processes
network()
{
	printf 'ranks %d\nusual startup 1e-5 bandwidth 1e8\nlink 1 0 bandwidth 1e5\nhost send 1e7 ranks 0 1\n' "$1"
}

# over_link FILE OPERATOR PARTS: what process 3 sends process 4, both of a context of some processes in another
# order than theirs, against so many hundredths of what it has for it
over_link()
{
	job 5 "${preload[@]}" -x "EQUANT_GEMR2D_NETWORK=$1" -x EQUANT_GEMR2D_ROUTER=relay \
		"$TEST_BUILD/tests/gemr2d/route_worker" 3 4 > "$scratch/job"
	awk "/^sent/ { found = 1; right = 100 * \$2 $2 $3 * \$4 } END { exit !(found && right) }" "$scratch/job" && return
	cat "$scratch/job"
	return 1
}

# refuses_network TEXT VARIABLE...: soon, with an error, and says TEXT; with who=some process 2 does not have the
# variables
refuses_network()
{
	local text=$1 program="$TEST_BUILD/tests/gemr2d/program_worker"

	shift
	# shellcheck disable=SC2016
	job 4 "${preload[@]}" bash -c '[ "$0-$OMPI_COMM_WORLD_RANK" = some-2 ] || export "${@:2}"; exec "$1"' \
		"${who:-all}" "$program" "$@" > "$scratch/job"
	case $? in
	0 | 124) ;;
	*) grep -qF "$text" "$scratch/job" && return ;;
	esac
	cat "$scratch/job"
	return 1
}

# Thousands of processes would say the same.
says_once()
{
	[ "$(grep -c 'EQUANT_GEMR2D_NETWORK' "$scratch/job")" -eq 1 ] || { cat "$scratch/job"; return 1; }
}

network 4 > "$scratch/four.net"
network 8 > "$scratch/eight.net"
network 5 | sed 's/^link .*/link 3 4 bandwidth 1e5/' > "$scratch/thin.net"
network 5 | sed 's/^link .*/link 1 3 bandwidth 1e5/' > "$scratch/other.net"
plan 24
succeeds "168 random parts of all types are ScaLAPACK's on 3 processes" same 3
succeeds "168 random parts of all types are ScaLAPACK's on 8 processes" same 8
succeeds "... 8 for which a file says what is between them" \
	same 8 -x "EQUANT_GEMR2D_NETWORK=$scratch/eight.net"
succeeds "... by way of others" \
	same 8 -x "EQUANT_GEMR2D_NETWORK=$scratch/eight.net" -x EQUANT_GEMR2D_ROUTER=relay
succeeds "of a context of some processes little goes over a link that the file has as thin" \
	over_link "$scratch/thin.net" '<' 2
succeeds "... and all over it where another one is" over_link "$scratch/other.net" '>' 90
succeeds "a program solves its equations with ScaLAPACK's own" \
	solves "$TEST_BUILD/tests/gemr2d/program_worker"
mv "$scratch/solution" "$scratch/theirs"
succeeds "LD_PRELOAD replaces them in the same program, with the same solution" \
	preloaded
succeeds "linking replaces them, with the same solution" linked
fortran_results
succeeds "blocks of no elements are refused" refuses zero "matrix a: blocks of 0 x 1 elements"
succeeds "descriptors that differ are refused, and nobody waits" refuses differ \
	"row blocks of a: 2 on one rank, 5 on another"
succeeds "elements that are read and written are refused" refuses alias \
	"elements are read and written"
succeeds "a network of another number of processes is refused" refuses_network \
	"process 0: EQUANT_GEMR2D_NETWORK: $scratch/eight.net: a network of 8 ranks, there are 4" \
	"EQUANT_GEMR2D_NETWORK=$scratch/eight.net"
succeeds "... in one line" says_once
succeeds "a network that is not there is refused" refuses_network \
	"process 0: EQUANT_GEMR2D_NETWORK: $scratch/none.net: No such file or directory" \
	"EQUANT_GEMR2D_NETWORK=$scratch/none.net"
succeeds "a router that is not known is refused" refuses_network \
	"no router is called 'slow'; there are combine" \
	"EQUANT_GEMR2D_NETWORK=$scratch/four.net" EQUANT_GEMR2D_ROUTER=slow
succeeds "a router without a network is refused" refuses_network \
	"EQUANT_GEMR2D_NETWORK: is not set, and EQUANT_GEMR2D_ROUTER is" EQUANT_GEMR2D_ROUTER=relay
who=some succeeds "a network that only some processes have is refused" refuses_network \
	"EQUANT_GEMR2D_NETWORK is set on some processes and not on others" \
	"EQUANT_GEMR2D_NETWORK=$scratch/four.net"
succeeds "a process outside of the context is refused" refuses context \
	"pdgemr2d: this process is not in context -1"
succeeds "in checked mode nobody waits for ever for a process that gives another context" refuses contexts \
	"equant_gemr2d_plans_new: not all ranks have come within 1 s" -x EQUANT_CHECK=on -x EQUANT_TIMEOUT=1
finish
