#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# The programs of the documents compile, the balanced one of howto.rst computes
# what the plain one computes, its stencil the same on any number of ranks, and those that move arrays lose nothing.

. "$(dirname "$0")/lib.sh"

if [ "$(config HAVE_MPI)" != 1 ]; then
	echo "1..0 # SKIP no MPI here"
	exit 4
fi

if ! command -v patch > /dev/null; then
	echo "1..0 # SKIP no patch here"
	exit 4
fi

listings()
{
	listing plain.c howto.rst
	listing balanced.patch howto.rst
	listing stencil.c howto.rst
	listing cells.c data.rst
	listing rods.f90 fortran.rst
	listing plate.f90 fortran.rst
	listing tables.c data.rst
	listing sweep.c pipelines.rst
	listing corner.c redist.rst
	listing matrix.c gemr2d.rst
	listing area.c dag.rst
}

# compile NAME [ARGUMENT...]
compile()
{
	local name=$1

	shift
	# shellcheck disable=SC2046
	gcc -O2 -Wall -Wextra -Werror -Iuserlib/include $(config MPI_CFLAGS) \
		-o "$scratch/$name" "$scratch/$name.c" "$@" $(config MPI_LIBS) -lm
}

balanced()
{
	# shellcheck disable=SC2046
	patch -s -o "$scratch/balanced.c" "$scratch/plain.c" "$scratch/balanced.patch" &&
		compile balanced "$TEST_BUILD/libequant.a" $(config LIBURING_LIBS)
}

# linked NAME
linked()
{
	# shellcheck disable=SC2046
	compile "$1" "$TEST_BUILD/libequant.a" $(config LIBURING_LIBS)
}

# fortran NAME
fortran()
{
	# shellcheck disable=SC2046
	gfortran -std=f2018 -Wall -Wextra -Werror -O2 $(config MPIF_CFLAGS) -I"$TEST_BUILD/fortran" \
		-o "$scratch/$1" "$scratch/$1.f90" "$TEST_BUILD/libequant_fortran.a" \
		"$TEST_BUILD/libequant.a" $(config MPIF_LIBS) $(config LIBURING_LIBS) -lm
}

# same_on PROGRAM: what one rank prints three print, to the last bit
same_on()
{
	run "$1" 1 > "$scratch/expected" &&
		EQUANT_CHECK=on EQUANT_PERIOD=0.002 run "$1" 3 > "$scratch/got" &&
		grep -q 'last change .*, heat ' "$scratch/got" &&
		diff "$scratch/expected" "$scratch/got"
}

# run PROGRAM RANKS
run()
{
	mpirun --oversubscribe --bind-to none -np "$2" "$scratch/$1"
}

same_result()
{
	run plain 2 > "$scratch/expected" && EQUANT_CHECK=on run balanced 2 > "$scratch/got" &&
		[ -s "$scratch/got" ] && diff "$scratch/expected" "$scratch/got"
}

if [ "$(id -u)" -eq 0 ]; then
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

# moves_all PROGRAM: on three ranks
moves_all()
{
	EQUANT_CHECK=on run "$1" 3 > "$scratch/got" && grep -q ' elements, 0 wrong$' "$scratch/got" && return
	cat "$scratch/got"
	return 1
}

finds_pi()
{
	EQUANT_CHECK=on run area 3 > "$scratch/got" && grep -q '^area 3.141592654, planned ' "$scratch/got" && return
	cat "$scratch/got"
	return 1
}

plan 19
silent "the documents hold the listings" listings
silent "the plain program compiles" compile plain
silent "the balanced program compiles" balanced
silent "the example of packed data compiles" compile cells -c
silent "the example of tables compiles" compile tables -c
silent "the example of a sweep compiles" compile sweep -c
silent "balanced and plain print the same on two ranks" same_result
silent "the stencil compiles" linked stencil
silent "it prints the same on three ranks as on one" same_on stencil
for name in corner matrix; do
	silent "$name.c compiles" linked $name
	silent "$name.c has every element where it belongs" moves_all $name
done
silent "area.c compiles" linked area
silent "area.c finds pi" finds_pi
for name in rods plate; do
	if [ "$(config HAVE_FORTRAN)" = 1 ]; then
		silent "$name.f90 compiles" fortran $name
		silent "$name.f90 prints the same on three ranks as on one" same_on $name
	else
		skip "$name.f90 compiles" "no Fortran"
		skip "$name.f90 prints the same on three ranks as on one" "no Fortran"
	fi
done
finish
