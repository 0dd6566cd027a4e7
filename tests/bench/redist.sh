#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Bhat, Prasanna and Raghavendra's section 5 in simulation, which is the same everywhere, as tables and charts:
# every K on 16 and 64 ranks, and figure 5b; and what planning takes on this machine.

. "$(dirname "$0")/lib.sh"

: > "$out/$item.figures"

# experiment NAME OPTION...
experiment()
{
	if ! "$equant" redist experiment "${@:2}" --svg "$out/$item/$1.svg" \
		> "$out/$item/$1.txt" 2> "$out/$item/log"; then
		cat "$out/$item/log" >&2
		exit 1
	fi
	echo "$1: equant redist experiment ${*:2}"
	cat "$out/$item/$1.txt"
}

for ranks in 16 64; do
	experiment p$ranks --ranks $ranks --worse 1.1
	sed -n 's/^greedy at most \([0-9.]*\) .*best \([0-9.]*\) .*direct \([0-9.]*\) and barrier \([0-9.]*\) .*/'"1\tp$ranks\tgreedy=\1\tbest=\2\tdirect=\3\tbarrier=\4"'/p' \
		"$out/$item/p$ranks.txt" >> "$raw"
	experiment p$ranks-self --ranks $ranks --worse 1.1 --self
done
experiment figure-5b --over spread --ranks 64 --k 40
experiment scaled --ranks 16 --scaled
experiment planning --over planning --ranks 4096
awk '$1 ~ /^[0-9]+$/ { printf "1\tplan%s_%s\tgreedy=%s\t%smemory=%s\n", $1, $2, $5,
	$6 == "-" ? "" : "preemptive=" $6 "\t", $8 }' "$out/$item/planning.txt" >> "$raw"

judge "P = 16: greedy / bound, the worst K" p16.greedy '<=' 1.05
judge "P = 64: greedy / bound, the worst K" p64.greedy '<=' 1.05
judge "P = 16: best / bound" p16.best '<=' 1.01
judge "P = 64: best / bound" p64.best '<=' 1.01
judge "P = 16: direct / greedy" p16.direct '>=' 1.15
judge "P = 64: direct / greedy" p64.direct '>=' 1.4
judge "P = 16: barrier / greedy" p16.barrier '>=' 1.15
judge "P = 64: barrier / greedy" p64.barrier '>=' 1.4
judge "planning (64, 63), greedy, ms" plan64_63.greedy '<=' 0.3
judge "planning (4096, 64), greedy, ms" plan4096_64.greedy '<=' 100
judge "planning (4096, 64), MB" plan4096_64.memory '<=' 64
judge "planning (1024, 1023), greedy, ms" plan1024_1023.greedy '<=' 1000
judge "planning (64, 63), preemptive, ms" plan64_63.preemptive '<=' 50
