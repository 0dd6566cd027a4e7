#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Nobody competes: what measuring and balancing cost, against the same program without any
# call of equant.  The program's own clock counts.

. "$(dirname "$0")/lib.sh"

rounds=${BENCH_ROUNDS:-21}
size 0.1

# timed ROUND VARIANT [OPTION]
timed()
{
	local elapsed

	job "$n" "$(for_seconds 3)" "${@:3}"
	elapsed=$("${command[@]}" 2> "$out/$item/log" | tee "$out/$item/$1-$2.txt" |
		sed -n 's/.* elapsed=\([0-9.]*\) s verified$/\1/p')
	if [ -z "$elapsed" ]; then
		cat "$out/$item/log" "$out/$item/$1-$2.txt" >&2
		exit 1
	fi
	printf '%s\t%s\telapsed=%s\n' "$1" "$2" "$elapsed" >> "$raw"
}

for round in $(seq "$rounds"); do
	timed "$round" plain --plain
	timed "$round" equant
done

judge "plain program, seconds" plain.elapsed
judge "with equant, over the plain program" equant.elapsed/plain.elapsed '<=' 1.01
