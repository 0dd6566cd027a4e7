#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# How long the schedulers of task graphs take: 10,000 tasks, about 30,000 edges and 64 processors,
# without and with contention, in a hundred layers and in three, and how that grows from 100 tasks on.

. "$(dirname "$0")/lib.sh"

schedulers=(heft cpop dls dls-plain dts-printed dts-repaired)
: > "$out/$item.figures"

# how TASKS LAYERS CHANNELS SCHEDULER NAME
how() {
	local line
	if ! line=$(taskset -c "$cpu_b" "$TEST_BUILD/tests/bench/schedule" \
		"$1" "$2" 64 "$3" "$4" 2> "$out/$item/log"); then
		cat "$out/$item/log" >&2
		exit 1
	fi
	printf '%d\t%s\t%s\n' "$round" "$5" "${line// /$'\t'}" >> "$raw"
}

for round in $(seq "$rounds"); do
	for scheduler in "${schedulers[@]}"; do
		for channels in free shared; do
			for tasks in 100 1000 10000; do
				how "$tasks" 0 "$channels" "$scheduler" "$scheduler-$channels-$tasks"
			done
			how 10000 3 "$channels" "$scheduler" "$scheduler-$channels-wide"
		done
	done
done

for channels in free shared; do
	for scheduler in "${schedulers[@]}"; do
		case $scheduler-$channels in
		heft-free | cpop-free) goal=0.1 ;;
		*-free | heft-* | cpop-*) goal=1 ;;
		*) goal=10 ;;
		esac
		name=$scheduler-$channels
		judge "$scheduler, $channels channels, 10,000 tasks, s" "$name-10000.seconds" "<=" "$goal"
		judge "  in three layers, s" "$name-wide.seconds" "<=" "$goal"
		judge "  memory, MB" "$name-10000.memory" "<=" 1000
		judge "  1,000 tasks, s" "$name-1000.seconds"
		judge "  100 tasks, s" "$name-100.seconds"
	done
done
