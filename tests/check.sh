#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Build everything and run every test: tests/check.sh [-v] [-o BUILD]
# The last line is always "N passed, N failed, N skipped".

set -u
cd "$(dirname "$0")/.." || exit 1
build=build
verbose=
while getopts vo: option; do
	case $option in
	v) verbose=-v ;;
	o) build=$OPTARG ;;
	*) exit 2 ;;
	esac
done

# The jobs of an outer make are not ours to take.
unset MAKEFLAGS MFLAGS MAKELEVEL
make() { command make --no-print-directory O="$build" "$@"; }

if ! make setup "$build/tests/contain"; then
	echo "0 passed, 1 failed, 0 skipped"
	exit 1
fi
# A part that does not build does not hide the state of the others; its tests
# fail, and so does tests/tree/compilers_test.sh.
make -k -j"$(nproc)" all tests
mapfile -t names < <(make -s list-tests)
exec tests/run.sh $verbose -o "$build" "${names[@]}"
