#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# The checksum of 100000 decisions is the same whatever compiles them.

. "$(dirname "$0")/../tree/lib.sh"

# The flags that matter are those of the Makefile: IEEE arithmetic, nothing contracted.
checksum()
{
	"$1" -std=gnu11 -D_GNU_SOURCE= "$2" -ffp-contract=off -Itests -Iuserlib -Iuserlib/include \
		-isystem "$LINUX/tools/testing/selftests" -o "$scratch/decisions$1$2" \
		tests/balance/decisions_test.c tests/balance/lib*.c userlib/balance/*.c -lm &&
		"$scratch/decisions$1$2"
}

# As many at a time as there are processors.
for cc in gcc clang; do
	for level in -O0 -O2 -O3; do
		[ "$(jobs -pr | wc -l)" -lt "$(nproc)" ] || wait -n
		{
			checksum $cc $level > "$scratch/log$cc$level" 2>&1
			echo $? > "$scratch/status$cc$level"
		} &
	done
done
wait

decides()
{
	cat "$scratch/log$1$2"
	[ "$(cat "$scratch/status$1$2")" = 0 ]
}

plan 6
for cc in gcc clang; do
	for level in -O0 -O2 -O3; do
		sentence="$cc $level decides alike"
		if command -v $cc > /dev/null; then
			succeeds "$sentence" decides $cc $level
		else
			skip "$sentence" "no $cc"
		fi
	done
done
finish
