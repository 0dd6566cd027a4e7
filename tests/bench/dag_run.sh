#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Schedules carried out by two ranks: measured over planned makespan for each family; and beside a
# process that never rests, which comes at a quarter of the run, planning anew over holding on.

. "$(dirname "$0")/lib.sh"

program=$TEST_BUILD/tests/bench/dag_run
: > "$out/$item.figures"

# run ROUND VARIANT ARGUMENT...
run()
{
	local planned measured plans

	if ! mpirun --bind-to none -np 1 taskset -c "$cpu_a" "$program" "${@:3}" : \
		-np 1 taskset -c "$cpu_b" "$program" "${@:3}" \
		> "$out/$item/$1-$2.txt" 2> "$out/$item/log"; then
		echo "$item: $2 failed:" >&2
		cat "$out/$item/log" >&2
		exit 1
	fi
	read -r planned measured plans < "$out/$item/$1-$2.txt"
	printf '%s\t%s\tplanned=%s\tmeasured=%s\tplans=%s\n' "$1" "$2" "$planned" "$measured" \
		"$plans" >> "$raw"
}

families="fork join fork-join fft gauss lu"
for round in $(seq "$rounds"); do
	for family in $families; do
		for overlap in no progress; do
			run "$round" "${family/-/_}_$overlap" plan "$family" $overlap
		done
	done
	for family in fork-join lu; do
		for competitor in none stay leave; do
			for how in hold replan; do
				run "$round" "${family/-/_}_${competitor}_$how" \
					compete "$family" $competitor $how
			done
		done
	done
done

for family in $families; do
	for overlap in no progress; do
		t=${family/-/_}_$overlap
		judge "$family, overlap $overlap: measured / planned" "$t.measured/$t.planned" '<=' 1.1
	done
done
for family in fork-join lu; do
	t=${family/-/_} goal=1.15
	[ $family = lu ] || goal=1.25
	judge "$family, it stays: holding on / planning anew" \
		"${t}_stay_hold.measured/${t}_stay_replan.measured" '>=' $goal
	judge "$family, it leaves: planning anew / holding on" \
		"${t}_leave_replan.measured/${t}_leave_hold.measured" '<=' 1.03
	judge "$family, nobody comes: planning anew / holding on" \
		"${t}_none_replan.measured/${t}_none_hold.measured"
done
