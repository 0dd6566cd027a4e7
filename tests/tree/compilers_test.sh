#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Everything compiles without a warning, whatever compiles it and whatever is missing.

. "$(dirname "$0")/lib.sh"

# Some of gcc's warnings come with optimisation only, clang's without, in half of the time.
plan 8
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
# What does not ask whether something is there is compiled as it is with it, and so it has been already.
copy()
{
	local to=$TEST_BUILD/without

	rm -rf "$to" && mkdir "$to" && (
		cd "$TEST_BUILD" && shopt -s nullglob
		cp -a .[a-z]* config.mk include skel* bpf* fortran* "$to" &&
			find userlib tools apps tests -name '*.[od]' -print0 |
			xargs -0 cp -a --parents -t "$to"
	) && find "$to" -name '*.d' -print0 |
		xargs -0 sed -i "s,${TEST_BUILD#"$TEST_SOURCE"/}/,&without/,g"
}
succeeds "what there is can be left out again" copy
succeeds "it builds without MPI" build without HAVE_MPI=0 all
succeeds "it builds without Fortran and ScaLAPACK" build without HAVE_FORTRAN=0 HAVE_SCALAPACK=0 all
succeeds "it builds without BPF" build without HAVE_BPF=0 all
succeeds "it builds without io_uring" build without HAVE_LIBURING=0 all
succeeds "it builds with none of them" build without HAVE_MPI=0 HAVE_FORTRAN=0 HAVE_SCALAPACK=0 \
	HAVE_BPF=0 HAVE_LIBURING=0 all tests
finish
