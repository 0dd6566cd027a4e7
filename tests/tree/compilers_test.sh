#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Everything compiles without a warning, whatever compiles it and whatever is missing.

. "$(dirname "$0")/lib.sh"

# Some of gcc's warnings come with optimisation only, clang's without; and so does what is left out, in half
# of the time.
plan 7
# What is tested is gcc's, with warnings as errors: what of it is missing did not build.
by_gcc()
{
	make -s O="$TEST_BUILD" CC=gcc all tests
}
succeeds "gcc builds everything without a warning" by_gcc
if command -v clang > /dev/null; then
	succeeds "clang builds everything without a warning" build clang CC=clang CFLAGS=-O0 all tests
else
	skip "clang builds everything without a warning" "no clang"
fi
succeeds "it builds without MPI" build without CFLAGS=-O0 HAVE_MPI=0 all
succeeds "it builds without Fortran and ScaLAPACK" \
	build without CFLAGS=-O0 HAVE_FORTRAN=0 HAVE_SCALAPACK=0 all
succeeds "it builds without BPF" build without CFLAGS=-O0 HAVE_BPF=0 all
succeeds "it builds without io_uring" build without CFLAGS=-O0 HAVE_LIBURING=0 all
succeeds "it builds with none of them" \
	build without CFLAGS=-O0 HAVE_MPI=0 HAVE_FORTRAN=0 HAVE_SCALAPACK=0 HAVE_BPF=0 \
	HAVE_LIBURING=0 all tests
finish
