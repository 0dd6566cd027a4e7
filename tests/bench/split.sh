#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Efficiency against grain beside one busy process, where ranks poll at MPI's barrier: work split in
# equal parts, in proportion to the shares, and as the barrier simulator predicts best.

. "$(dirname "$0")/lib.sh"

program=$TEST_BUILD/tests/bench/waiting
grains="500 1000 2000 3000 5000 10000 20000"
: > "$out/$item.figures"

# split ROUND NAME SETTING...: all grains in one job
split()
{
	local round=$1 name=$2 file=$out/$item/$1-$2.txt

	if ! env "${@:3}" mpirun --bind-to none \
		-np 1 taskset -c "$cpu_a" "$program" loop busy 1.5 $grains : \
		-np 1 taskset -c "$cpu_b" "$program" loop free 1.5 $grains > "$file" 2> "$out/$item/log"
	then
		echo "$item: $name failed:" >&2
		cat "$out/$item/log" >&2
		exit 1
	fi
	awk -v round="$round" -v name="$name" '{ printf "%s\t%s_%s\tphases=%s\telapsed=%s\twork=%s\tcompetitor=%s\tefficiency=%s\n",
		round, name, $1, $2, $3, $4, $5, $6 }' "$file" >> "$raw"
}

for round in $(seq "$rounds"); do
	split "$round" equal EQUANT_BALANCE=off
	split "$round" shares EQUANT_WAIT=block EQUANT_POLLS=off
	split "$round" predicted EQUANT_WAIT=block EQUANT_POLLS=on
done

for grain in $grains; do
	for name in equal shares predicted; do
		judge "$name, $grain us of work per barrier: efficiency" "${name}_$grain.efficiency"
	done
	judge "  predicted against equal parts: time" "predicted_$grain.elapsed/equal_$grain.elapsed"
	judge "  predicted against in proportion: time" "predicted_$grain.elapsed/shares_$grain.elapsed"
done
