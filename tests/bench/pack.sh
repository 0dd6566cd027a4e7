#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# How near to memory's speed elements are packed and unpacked: ten million doubles from cyclic(x) to cyclic(2 x),
# and to cyclic(4 x) for longer blocks, by one of four processes and of eight.

. "$(dirname "$0")/lib.sh"

program=$TEST_BUILD/tests/bench/pack
: > "$out/$item.figures"

# run PROCESSES X K: the raw figures of all rounds
run()
{
	local file=$out/$item/$1-$2.txt

	if ! taskset -c "$cpu_b" "$program" "$2" "$3" "$1" "$rounds" > "$file" 2> "$out/$item/log"; then
		cat "$out/$item/log" >&2
		exit 1
	fi
	awk -v of="$1-$2" '{ print $1 "\t" of "-" $2 "\tms=" $3 }' "$file" >> "$raw"
}

for processes in 4 8; do
	run "$processes" 1000 4
	run "$processes" 64 4
	run "$processes" 1 2
done
for processes in 4 8; do
	for x in 1000 64 1; do
		of=$processes-$x
		judge "one of $processes processes, x = $x, memcpy, ms" "$of-memcpy.ms"
		judge "  packing / memcpy" "$of-packing.ms/$of-memcpy.ms" '<=' 1.25
		judge "  unpacking / memcpy" "$of-unpacking.ms/$of-memcpy_again.ms" '<=' 1.25
	done
done
