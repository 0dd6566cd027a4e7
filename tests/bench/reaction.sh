#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# From the arrival of a competitor to the new distribution in place: what equant does, the
# measured rate with the period that equant derives from the quantum, and the thesis' settings. The
# grain is a product of 2 ms.  Each setting has a competitor that stays long enough for it.
#
# Arrivals are a quarter of a tick of 4 ms apart from the ticks' pace, so that they meet the
# scheduler at any moment.

. "$(dirname "$0")/cells.sh"

declare -A period=([equant]=0.973 [measured]=2.433 [thesis]=12.161)
declare -A arrivals=([equant]=22 [measured]=22 [thesis]=8)

prepare()
{
	size 0.002
}

# cell ROUND NAME SETTING: a line of figures per arrival, which for figures.pl is a round
cell()
{
	local every=${period[$3]} options=() file=$out/$item/$1-$2.$3.json traces=$out/$item/trace-$1-$3
	local runs=$raw start

	case $3 in
	measured) options=(--set EQUANT_RATE=measured) ;;
	thesis) options=("${thesis[@]}") ;;
	esac
	# Two periods are for the start, a run is a tenth longer than on a dedicated machine.
	job "$n" "$(for_seconds "$(plus 0 "$every" $((arrivals[$3] + 2)))")"
	raw=$out/$item/$1-$2.$3.run
	: > "$raw"
	# Traces of an earlier run keep their names, the new ones would have others.
	rm -rf "$traces"
	measure "$1" "$2.$3" "${options[@]}" --trace "$traces" \
		--load "cpu=$cpu_a,period=$every,duty=0.5" -- "${command[@]}"
	start=$(perl -MJSON::PP -0777 -ne 'print decode_json($_)->{loads}[0]{start_ns}' "$file")
	"$TEST_BUILD/tests/bench/reaction" "$traces/rows.1.trace" "$start" "$every" |
		awk -v round="$1" -v name="$2.$3" '{ printf "%d\t%s\tfirst=%s\tplaced=%s\n",
			1000 * round + $1, name, $2, $3 }' >> "$runs"
	[ "${PIPESTATUS[0]}" -eq 0 ] || exit 1
}

sum=0
for setting in equant measured thesis; do
	sum=$(plus "$sum" "${period[$setting]}" $((arrivals[$setting] + 2)))
done
group mm "$(plus 1 "$sum" 0.333)" equant measured thesis
cells_end

judge "equant: ms to the new distribution, median" mm.equant.placed '<=' 30
judge "  95 % of the arrivals" 95%:mm.equant.placed '<=' 60
judge "  to the end of the first move" mm.equant.first
judge "  95 % of the arrivals" 95%:mm.equant.first
for setting in measured thesis; do
	judge "$setting: ms to the new distribution, median" "mm.$setting.placed"
	judge "  95 % of the arrivals" "95%:mm.$setting.placed"
	judge "  to the end of the first move" "mm.$setting.first"
done
