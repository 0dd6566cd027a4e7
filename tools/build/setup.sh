#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Take from the kernel's source package what the tests and the style check
# need: setup.sh TARBALL DIRECTORY

set -eu
tar=$1
dir=$2
tmp=$dir.tmp.$$
top=$(basename "$tar" .tar.xz)
tests=$top/tools/testing/selftests

# Who has a kernel's tree of his own may have named that.
if [ -n "$(ls -A "$dir" 2> /dev/null)" ] && [ ! -e "$dir/.complete" ]; then
	echo "setup: $dir holds something else, and would be replaced; LINUX= names a folder of its own" >&2
	exit 1
fi
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp"
tar -xJf "$tar" --strip-components=1 -C "$tmp" \
	"$top/.clang-format" \
	"$top/scripts/checkpatch.pl" \
	"$top/scripts/const_structs.checkpatch" \
	"$top/scripts/spelling.txt" \
	"$tests/kselftest" \
	"$tests/kselftest.h" \
	"$tests/kselftest_harness.h" \
	"$tests/lib.mk"
touch "$tmp/.complete"
rm -rf "$dir"
mv "$tmp" "$dir"
