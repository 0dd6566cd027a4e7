#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# The figures of the thesis by `equant simulate figure`: are all there, and do they show what
# its text says of them?

. "$(dirname "$0")/lib.sh"

plan 34

export LC_ALL=C

exits 2 'which one' "a figure must be named" "$equant" simulate figure
exits 2 "there is no '9.1'" "a figure that is not there is named" "$equant" simulate figure 9.1
exits 2 "there is no '3.1'" "a part of a number is no number" "$equant" simulate figure 3.1
exits 2 "'7.9' has 3 panels" "panels are written one by one" "$equant" simulate figure 7.9 --json
exits 2 "'3.12' has 2 panels: --svg is for one" "a file is not written over by the next panel" \
	"$equant" simulate figure 3.12 --dir "$scratch/panels" --svg "$scratch/panel.svg"
succeeds "... and nothing is written" [ ! -e "$scratch/panels" ]
exits 2 "unexpected argument '--gain'" "an unknown option is named" "$equant" simulate figure --gain
exits 2 "dir: the value is missing" "a missing directory is named" "$equant" simulate figure all --dir
exits 1 'No such file' "a directory that cannot be made is an error" \
	"$equant" simulate figure 3.6 --dir "$scratch/none/figures"

figures=$scratch/figures
"$equant" simulate figure all --dir "$figures" > "$scratch/output" 2>&1

complete()
{
	local number

	"$equant" simulate figure --list | awk 'NR % 2 { print $1 }' > "$scratch/numbers"
	for number in 2.5 3.6 3.7 3.8 3.10 3.12 3.13 3.14 4.9 4.10 4.11 4.12 5.3 5.7 5.11 \
		7.{2..26}; do
		grep -q "^$number[a-f]\?$" "$scratch/numbers" || { echo "# $number is missing"; return 1; }
	done
	while read -r number; do
		[ -s "$figures/$number.json" ] && [ -s "$figures/$number.svg" ] || return 1
	done < "$scratch/numbers"
	[ "$(find "$figures" -type f | wc -l)" = $((2 * $(wc -l < "$scratch/numbers"))) ]
}
succeeds "every figure that models can draw is there as data and as a chart" complete

well_formed()
{
	! grep -l 'nan\|inf"' "$figures"/*.svg || return 1
	command -v python3 > /dev/null || return 0
	python3 -c 'import glob, json, sys, xml.dom.minidom
for name in glob.glob(sys.argv[1] + "/*.svg"):
    assert xml.dom.minidom.parse(name).getElementsByTagName("path"), name
for name in glob.glob(sys.argv[1] + "/*.json"):
    assert len(json.load(open(name))["points"]) > 1, name' "$figures"
}
succeeds "charts and data are well-formed" well_formed

# number FIGURE COLUMN [X]: what stands in the row whose first number is X; without X: in all
number()
{
	awk -F '": ' -v column="$2" -v x="${3-}" '
		{ name = $1; value = $2; sub(/^ *"/, "", name); sub(/,$/, "", value) }
		/^ *\{/ { first = 1 }
		first && points && NF == 2 { right = x == "" || value + 0 == x + 0; first = 0 }
		/"points"/ { points = 1 }
		name == column && (right || !points) { print value }' "$figures/$1.json"
}

# between VALUE LEAST MOST
between()
{
	awk -v v="$1" -v a="$2" -v b="$3" 'BEGIN { exit !(v != "" && a != "" && b != "" && v + 0 >= a + 0 && v + 0 <= b + 0) }' && return
	echo "# '$1' is not between $2 and $3"
	return 1
}

fill()
{
	between "$(number 3.6 '4 CPUs' 100)" 0.9708 0.9709 && between "$(number 3.6 '4 CPUs' 200)" 0.985 0.9853
}
succeeds "3.6: the bound is M / (M + P - 1)" fill

aligned()
{
	local panel block

	for panel in a b c d; do
		for block in 1 10 50 100; do
			between "$(number 3.10$panel balanced $block)" \
				"$(number 3.10$panel dedicated $block | awk '{ print $1 - 0.045 }')" \
				"$(number 3.10$panel dedicated $block | awk '{ print $1 + 0.045 }')" ||
				return 1
		done
	done
}
succeeds "3.10: whatever the grain, a balanced pipeline stays near its bound" aligned

# The first CPU has every other quantum; 10 barriers of 4 x grain quanta of work.
timeline()
{
	number "$1" elapsed | awk -v grain="$2" '{
		available = 3 * $1 + int($1 / 2) + ($1 % 2 < 1 ? $1 % 2 : 1)
		printf "%.3f\n", 40 * grain / available }'
}
timelines()
{
	between "$(timeline 3.12a 0.7)" 0.609 0.609 && between "$(timeline 3.12b 0.7)" 0.765 0.765 &&
		between "$(timeline 3.13a 1.4)" 0.589 0.589 &&
		between "$(timeline 3.13b 1.4)" 0.946 0.946
}
succeeds "3.12, 3.13: 60.9, 76.5, 58.9 and 94.6 %" timelines

peaks()
{
	between "$(number 3.14a balanced 1.75)" 1 1 && between "$(number 3.14b balanced 2.5)" 1 1 &&
		between "$(number 3.14c balanced 3.25)" 1 1 &&
		between "$(number 3.14d balanced 19.25)" 1 1 &&
		between "$(number 3.14a balanced 0.7)" 0.5 0.9
}
succeeds "3.14: the first peaks are at 1.75, 2.50, 3.25 and 19.25 quanta" peaks

interactions()
{
	local n

	for n in 2 4 8; do
		between "$(number 2.5a asynchronous $n)" 0.98 1 &&
			between "$(number 2.5a pipelined $n)" 0.98 1 &&
			between "$(number 2.5b asynchronous $n)" 0.93 1 &&
			between "$(number 2.5b pipelined $n)" 0.93 1 &&
			between "$(number 2.5f asynchronous $n)" "$(number 2.5f none $n)" 1 || return 1
	done
}
succeeds "2.5: asynchronous and pipelined balance a constant load, and cost nothing without one" \
	interactions

chosen_grain()
{
	local n=8

	between "$(number 3.8a fixed 1)" "$(number 3.8a automatic 1 | awk '{ print $1 - 0.001 }')" 1 &&
		between "$(number 3.8a automatic $n)" \
			"$(number 3.8a fixed $n | awk '{ print 1.2 * $1 }')" 1 &&
		between "$(number 3.8b automatic $n)" "$(number 3.8b fixed $n)" 1
}
succeeds "3.8: a fixed grain is as good on few CPUs and falls behind on many" chosen_grain

sampling()
{
	between "$(number 4.9 '1 load' 10)" 0 1e-9 && between "$(number 4.9 '1 load' 11)" 0.0909 0.091 &&
		[ "$(number 4.10 '10.5 quanta' | grep -v null | sort -n | head -1 |
			awk '{ print ($1 >= 0.45) }')" = 1 ] &&
		[ "$(number 4.10 '0.5 quanta' | sort -n | tail -1)" = 1 ]
}
succeeds "4.9, 4.10: what a sample leaves of the amplitude is at most quantum / sample" sampling

longer_is_better()
{
	local n

	for n in 2 4 8; do
		between "$(number 4.12 '10 quanta' $n)" "$(number 4.12 '5 quanta' $n)" 1 &&
			between "$(number 4.12 '20 quanta' $n)" "$(number 4.12 '10 quanta' $n)" 1 ||
			return 1
	done
}
succeeds "4.12: without optimisations a longer period is better" longer_is_better

optimisations()
{
	local n

	for n in 2 4 8; do
		between "$(number 5.3 threshold $n)" "$(number 5.3 without $n)" 1 &&
			between "$(number 5.7 states $n)" "$(number 5.7 raw $n)" 1 || return 1
	done
}
succeeds "5.3, 5.7: a threshold or a filter saves moves that noise would cause" optimisations

overhead()
{
	local figure n

	for figure in 7.2 7.3 7.4; do
		for n in 2 4 8; do
			between "$(number $figure thesis $n)" \
				"$(number $figure none $n | awk '{ print 0.98 * $1 }')" 1 || return 1
		done
	done
}
succeeds "7.2 to 7.4: balancing adds little on dedicated CPUs" overhead

# less FIGURE COLUMN FIGURE COLUMN N: by how much the first is below the second on N CPUs
less()
{
	awk -v a="$(number "$1" "$2" "$5")" -v b="$(number "$3" "$4" "$5")" 'BEGIN { print b - a }'
}

# Interactions of 5 ms, of which there are more where shares change.
interactions_take_one_per_cent()
{
	local figure n

	for figure in 7.2 7.3 7.4; do
		for n in 2 3 4 5 6 7 8; do
			between "$(number $figure equant $n)" \
				"$(number $figure none $n | awk '{ print 0.989 * $1 }')" 1 || return 1
		done
	done
}
succeeds "... and interactions that take long take 1 % of the time" interactions_take_one_per_cent

settled()
{
	# 4 CPUs, half of one: a seventh of the work, 4/7 of an equal part
	between "$(number 7.5a work | tail -1)" 0.5 0.64 && between "$(number 7.5b work | tail -1)" 0.45 0.64
}
succeeds "7.5: the loaded CPU ends up with half as much work as the others" settled

constant()
{
	local n

	for n in 2 4 8; do
		between "$(number 7.6 none_lower $n)" 0.49 0.51 &&
			between "$(number 7.6 thesis $n)" 0.9 1 &&
			between "$(number 7.7 thesis $n)" "$(number 7.7 none $n | awk '{ print 1.3 * $1 }')" 1 ||
			return 1
	done
}
succeeds "7.6, 7.7: a constant load is balanced nearly as if there were none" constant

much_data()
{
	local n

	for n in 2 3 4 5 6 7 8; do
		between "$(less 7.8 thesis 7.4 thesis $n)" "$(less 7.7 thesis 7.3 thesis $n)" 1 &&
			between "$(less 7.8 thesis 7.4 thesis $n)" "$(less 7.6 thesis 7.2 thesis $n)" 1 &&
			between "$(number 7.8 thesis $n)" "$(number 7.8 none $n)" 1 || return 1
	done
}
succeeds "7.8: to balance a constant load takes more where there is more data to move" much_data

seldom()
{
	local n

	for n in 2 3 4 5 6 7; do
		between "$(less 7.9a none 7.9a thesis $n)" 0.05 1 && between "$(less 7.9b none 7.9b thesis $n)" 0.04 1 &&
			between "$(less 7.9a thesis 7.2 thesis $n)" 0.02 1 &&
			between "$(less 7.9b thesis 7.3 thesis $n)" 0.02 1 &&
			between "$(less 7.9c none 7.9c thesis $n)" -1 "$(less 7.9b none 7.9b thesis $n)" || return 1
	done
}
succeeds "7.9: a load that seldom changes is balanced with much gain, but not where much data moves" seldom

often()
{
	local n

	for n in 2 3 4 5 6 7; do
		between "$(less 7.10a thesis 7.9a thesis $n)" 0.01 1 &&
			between "$(less 7.10b thesis 7.9b thesis $n)" "$(less 7.10a thesis 7.9a thesis $n)" 1 ||
			return 1
	done
	for n in 2 3 4; do
		between "$(less 7.10c thesis 7.9c thesis $n)" "$(less 7.10b thesis 7.9b thesis $n)" 1 || return 1
	done
}
succeeds "7.10: the more often it changes the less is gained, and the more data, the less" often

very_often()
{
	local n

	for n in 4 5 6 7 8; do
		between "$(less 7.11a none 7.11a thesis $n)" 0.04 1 || return 1
	done
	for n in 2 3; do
		between "$(less 7.11b none 7.11b thesis $n)" -1 0 || return 1
	done
}
succeeds "7.11: in some cases there is a gain beside changes every 3 s, and in some a loss" very_often

never_worse()
{
	local figure n

	for figure in 7.6 7.9a 7.10a 7.11a 7.12a 7.12c; do
		for n in 2 3 4 5 6 7 8; do
			between "$(less $figure none $figure equant $n)" 0 1 || return 1
		done
	done
}
succeeds "7.6 to 7.12: where moves are cheap the library gains beside any load" never_worse

# Where the thesis' settings lose
pipelines()
{
	local figure n

	for figure in 7.9b 7.10b 7.10c 7.11b 7.12b; do
		for n in 3 4 5 6 7 8; do
			between "$(less $figure none $figure equant $n)" 0 1 || return 1
		done
	done
	for n in 3 4 5 6 7 8; do
		between "$(less 7.11b none 7.11b equant $n)" 0.04 1 || return 1
	done
}
succeeds "7.9 to 7.12: it gains for pipelines of three CPUs and more, too" pipelines

cancelled()
{
	local n

	for n in 2 3 4 5 6 7 8; do
		between "$(less 5.11 none 5.11 profit $n)" 0.04 1 &&
			between "$(less 5.11 profit 5.11 without $n)" 0 0.05 || return 1
	done
}
succeeds "5.11: weighing moves that pay loses little" cancelled

three_quarters()
{
	local n

	for n in 2 4 8; do
		between "$(number 7.12b none_lower $n | awk -v d="$(number 7.3 none $n)" '{ print $1 / d }')" \
			0.72 0.79 || return 1
	done
}
succeeds "7.12: an equal division has 3/4 of the dedicated efficiency, on any number of CPUs" \
	three_quarters

statics()
{
	between "$(number 7.17 fraction 2)" 0.16666 0.16667 &&
		between "$(number 7.17 fraction 3)" 0.13333 0.13334 &&
		between "$(number 7.15 avoid_changes 3)" 0.9 1 &&
		between "$(number 7.18 slows 1)" 0.10714 0.10715
}
succeeds "7.15, 7.17: avoiding changes gives 90 % above two CPUs; 1/6 and 2/15 of the work move" statics

# moved FIGURE CPUS: the work that moved over what eq. 7.9 expects at changes 10 s apart
moved()
{
	number "$1" moved | awk -v cpus="$2" -v seconds="$(number "$1" time | tail -1)" '
		{ units += $1 }
		END { print units / 2000 / (1 / cpus - 1 / (2 * cpus - 1)) / (seconds / 10) }'
}
# Restricted moves count at each boundary: half the CPUs, as work is spread over all of them.
less_is_moved()
{
	between "$(moved 7.25e 6 | awk '{ print $1 / 3 }')" 0 "$(moved 7.25a 2)" &&
		between "$(moved 7.25e 6 | awk '{ print $1 / 3 }')" 0 0.8
}
succeeds "7.25: with more CPUs less work is moved than eq. 7.9 expects" less_is_moved

finish
