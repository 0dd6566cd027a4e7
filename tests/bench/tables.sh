#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Table 6.2: what the kinds of slice tables cost, in ns per slice and relative to the restricted one.

. "$(dirname "$0")/lib.sh"

tables=$TEST_BUILD/tests/bench/tables
: > "$out/$item.figures"

for round in $(seq "$rounds"); do
	if ! taskset -c "$cpu_b" "$tables" > "$out/$item/$round.txt" 2> "$out/$item/log"; then
		cat "$out/$item/log" >&2
		exit 1
	fi
	sed -e "s/^/$round /" -e 's/ /\t/g' "$out/$item/$round.txt" >> "$raw"
done

for what in "particular a certain slice" "each each slice" "send a slice that goes" \
	"receive a slice that comes"; do
	name=${what%% *} text=${what#* }
	for kind in scattered indexed packed reverse restricted; do
		judge "$text, $kind, ns" "$kind.$name"
		[ $kind = restricted ] ||
			judge "  relative" "$kind.$name/restricted.$name"
	done
done
