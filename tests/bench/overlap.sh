#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Copies of a neighbour's slices that come while a rank computes: two ranks on one node, and on two hosts with
# 100 MB/s between them.  See overlap.c.

. "$(dirname "$0")/lib.sh"

hosts=$bench/../hosts/hosts
program=$TEST_BUILD/tests/bench/overlap
sizes="8000 80000 800000"
: > "$out/$item.figures"
printf '%s\n' "ranks 2" "usual bandwidth 100e6" > "$out/$item/two.net"

# figures COMMAND...: its lines become raw ones
figures()
{
	if ! "$@" >> "$raw" 2> "$out/$item/log"; then
		cat "$out/$item/log" >&2
		exit 1
	fi
}

names=(node)
if [ "$(id -u)" -eq 0 ] && why=$("$hosts" -f "$out/$item/two.net" true 2>&1); then
	names+=(hosts)
else
	echo "$item: left out on two hosts: ${why:-several hosts on one machine need root}" |
		tee "$out/$item.figures"
fi
for round in $(seq "$rounds"); do
	# shellcheck disable=SC2086
	figures mpirun --bind-to none -np 1 taskset -c "$cpu_a" "$program" "$round" node $sizes : \
		-np 1 taskset -c "$cpu_b" "$program" "$round" node $sizes
	[ ${#names[@]} -gt 1 ] || continue
	# shellcheck disable=SC2086
	figures "$hosts" -f "$out/$item/two.net" mpirun --bind-to none \
		--host h0:1 -np 1 taskset -c "$cpu_a" "$program" "$round" hosts $sizes : \
		--host h1:1 -np 1 taskset -c "$cpu_b" "$program" "$round" hosts $sizes
done
for name in "${names[@]}"; do
	for size in $sizes; do
		t=${name}_$size
		judge "$name, $size bytes: without overlap / computing alone" "$t.after/$t.alone"
		judge "... with it" "$t.within/$t.alone"
		judge "... a message by hand, with overlap" "$t.by_hand/$t.alone"
		judge "... without overlap / with it" "$t.after/$t.within"
	done
done
