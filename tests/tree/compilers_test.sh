#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Everything compiles without a warning, whatever compiles it and whatever is missing.

. "$(dirname "$0")/lib.sh"

# Some warnings come with optimisation only.  What is left out is seen without it, in half of the time.
plan 7
for cc in gcc clang; do
	if command -v $cc > /dev/null; then
		succeeds "$cc builds everything without a warning" build $cc CC=$cc all tests
	else
		skip "$cc builds everything without a warning" "no $cc"
	fi
done
succeeds "it builds without MPI" build without CFLAGS=-O0 HAVE_MPI=0 all
succeeds "it builds without Fortran" build without CFLAGS=-O0 HAVE_FORTRAN=0 all tests
succeeds "it builds without BPF" build without CFLAGS=-O0 HAVE_BPF=0 all
succeeds "it builds without io_uring" build without CFLAGS=-O0 HAVE_LIBURING=0 all
succeeds "it builds with none of them" \
	build without CFLAGS=-O0 HAVE_MPI=0 HAVE_FORTRAN=0 HAVE_BPF=0 HAVE_LIBURING=0 all tests
finish
