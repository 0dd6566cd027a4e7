#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# The models on the command line: their tables, JSON and charts, and what they refuse.

. "$(dirname "$0")/lib.sh"

plan 63

export LC_ALL=C

# refuses PATTERN SENTENCE ARGUMENT...
refuses()
{
	local pattern=$1 sentence=$2

	shift 2
	exits 2 "$pattern" "$sentence" "$equant" simulate "$@"
}

# prints SENTENCE ARGUMENT...: exactly standard input
prints()
{
	local sentence=$1

	shift
	cat > "$scratch/expected"
	"$equant" simulate "$@" > "$scratch/actual" 2>&1
	silent "$sentence" diff "$scratch/expected" "$scratch/actual"
}

# Every model that there is but figures, each with its options.
explains()
{
	local model

	for model in barrier pipeline oscillating run program predict trace selfsched figure; do
		"$equant" simulate $model --help > "$scratch/help" || return 1
		head -n 1 "$scratch/help" | grep -q "^$model: " || return 1
		[ "$(grep -c '^[a-z]' "$scratch/help")" -eq 1 ] || return 1
	done
}

explains
report $? "a model's help is its own part of the command's"
exits 0 'fill (--blocks)' "a model that draws figures only has the command's help" \
	"$equant" simulate fill -h
exits 0 '--order WORD' "help is help behind other options, too" \
	"$equant" simulate selfsched --size 10 --help
refuses 'which model' "no model at all is an error"
refuses "unknown model 'barier'" "an unknown model is named" barier
refuses "simulate barrier: unexpected argument '--gain'" "an unknown option is named" \
	barrier --gain 1
refuses "--grain: the value is missing" "a missing value is named" barrier --grain
refuses "--grain 'x': expected NUMBER" "a grain that is no number is named" barrier --grain x
refuses "--grain '2:1:1': expected" "a sweep that ends before it begins is refused" \
	barrier --grain 2:1:1
refuses "--grain '1:2:0': expected" "a sweep that does not advance is refused" \
	barrier --grain 1:2:0
refuses "more than 100000 points" "a sweep of too many points is refused" \
	barrier --grain 1:2:0.000001
refuses "--loads '2,0': expected whole numbers from 1" "a load without the program is refused" \
	barrier --loads 2,0
refuses "--phases: 1 numbers for 2 loads" "phases are as many as loads" \
	barrier --loads 2,1 --phases 1
refuses "--phases: 2 quanta of CPU 0: its round has 2" "a phase is less than a round" \
	barrier --loads 2,1 --phases 2,0
refuses "does not fit 63 bits" "a time that does not fit is refused" \
	barrier --grain 1000000 --barriers 1000000
refuses "--svg: the name of a file is missing" "a chart needs a file" barrier --svg
exits 1 'No such file' "a file that cannot be written is an error" \
	"$equant" simulate barrier --grain 1 --svg "$scratch/none/x.svg"
exits 1 'No such file' "values may be in the words of their options" \
	"$equant" simulate barrier --grain=1 --svg="$scratch/none/x.svg"
refuses "--units 1000000, of 64 ranks: to move one takes less than 1e-07 s" "moves that would be rounded are refused" \
	run --ranks 64 --units 1000000 --step 1
refuses "--units 1000000: one takes less than 1e-07 s" "... and so are units" run --units 1000000
refuses "unexpected argument '1'" "... but not of those that take none" barrier --json=1

prints "barrier shows the peaks of figure 3.14a and the time lines of 3.12 and 3.13" \
	barrier --loads 2,1,1,1 --grain 0.7:1.75:0.35 --barriers 10 << 'END'
10 barriers on 4 round-robin CPUs; nothing is lost at multiples of 1.75 quanta

     grain  balanced     equal
       0.7    0.7650    0.6087
      1.05    0.8898    0.5833
       1.4    0.9459    0.5895
      1.75    1.0000    0.5785
END

refuses "simulate pipeline: --block 20: more than the 10 iterations" \
	"a block is no larger than the loop" pipeline --iterations 10 --block 20
refuses "--loads: their least common multiple is too large" "loads that do not divide are refused" \
	pipeline --loads 997,991,983,977,971,967,953 --block 10
refuses "--rmin '0': expected a number from" "a CPU of which nothing is left is refused" \
	oscillating --rmin 0
refuses "--blocks '1.9': expected a whole number" "a part of a block is refused" fill --blocks 1.9
refuses "--block '1:9:2.5': expected a whole number" "... and of an iteration" \
	pipeline --block 1:9:2.5
refuses "--ranks '2.5': expected a whole number" "half a rank is refused" oscillating --ranks 2.5
refuses "--ranks '2.5': expected a whole number" "... by all models" program --ranks 2.5
refuses "--ranks '65': expected a whole number from 1 to 64" "65 ranks are refused" run --ranks 65
refuses "--probe 'bpf': expected one of clock measured predicted" "an unknown probe is named" \
	run --probe bpf
refuses "--period 0.004: the load is on or off for less than a quantum of 0.004 s" \
	"a load that changes within a quantum is refused" run --period 0.004
refuses "simulate run: unexpected argument '--loads'" "options of another model are refused" \
	run --loads 2,1

prints "pipeline shows that a balanced one hardly suffers, figure 3.10" \
	pipeline --block 10:100:30 << 'END'
1000 iterations, 200 quanta of work, on 4 round-robin CPUs; eq. 3.12 chooses blocks of 1

     block    blocks  balanced     equal  dedicated
        10       100    0.9715    0.5682     0.9709
        40        25    0.8946    0.5435     0.8929
        70        15    0.8383    0.5263     0.8264
       100        10    0.7705    0.5013     0.7692
END

prints "pipeline weighs messages against filling the pipeline, figure 3.7" \
	pipeline --loads 1,1,1,1 --fixed 0.05 --block 5:125:20 << 'END'
1000 iterations, 200 quanta of work, on 4 round-robin CPUs; eq. 3.12 chooses blocks of 18.3

     block    blocks  balanced     equal  dedicated
         5       200    0.8217    0.8217     0.8217
        25        40    0.8953    0.8953     0.8953
        45        23    0.8628    0.8628     0.8621
        65        16    0.8251    0.8251     0.8244
        85        12    0.7886    0.7886     0.7880
       105        10    0.7541    0.7541     0.7536
       125         8    0.7220    0.7220     0.7220
END

prints "oscillating has no answer for a load that is back too soon" \
	oscillating --ranks 2 --move-all 2.73 --period 2:60:29 << 'END'
2 ranks, one with 0.5 of its CPU half of the time; 0.167 of the work moves

    period  balanced     equal  avoid_changes  avoid_rank
         2         -    0.8571         0.8571      0.5714
        31    0.9361    0.8571         0.8571      0.5714
        60    0.9670    0.8571         0.8571      0.5714
END

prints "oscillating goes over ranks instead of periods" oscillating --ranks 2:3:1 --fraction << 'END'
a load on one CPU, 30 s on and off, that leaves 0.5 of it

     ranks  fraction
         2    0.1667
         3    0.1333
END
refuses "--fraction: needs more than one of --ranks" "a fraction is not one over periods" \
	oscillating --fraction
refuses "--ranks and --period: only one may be a sweep" "a model goes over ranks or periods" \
	oscillating --ranks 2:3:1 --period 2:4:2

# point NAME ARGUMENT...: a number of the only point of a run
point()
{
	local name=$1

	shift
	"$equant" simulate run --json "$@" | sed -n "s/^ *\"$name\": \([0-9][^,]*\),*$/\1/p"
}

# above A B: is the first number larger?
above()
{
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b) }' || { echo "# $1 is not above $2"; false; }
}

model_agrees()
{
	local arguments="--period 60 --seconds 600 --target 1 --threshold 0 --profit 0 --no-filter
		--move-all 2.73 --interact 0 --probe $1"

	# shellcheck disable=SC2086
	near "$(point balanced $arguments)" "$(point model $arguments)" "$2"
}
succeeds "run agrees with the model within 1 % where shares are seen" model_agrees predicted 0.01
succeeds "run agrees with the model within 1 % where rates are measured" model_agrees clock 0.01

seeing_pays()
{
	above "$(point balanced --period 2)" "$(point balanced --period 2 --probe clock)"
}
succeeds "run: a share that is seen beats a rate that is measured" seeing_pays

equal_as_constant()
{
	near "$(point equal --period 0)" "$(awk 'BEGIN { print 4 / 7 }')" 1e-6 &&
		near "$(point balanced --period 0)" 1 0.01
}
succeeds "run: a constant load is balanced once and for all" equal_as_constant

# default NAME: of the library's option
default()
{
	"$equant" help env | awk -v "name=EQUANT_$1" '$1 == name { here = 1 }
		here && sub(/.*; default: /, "") { print; exit }'
}

defaults()
{
	local option value arguments=()

	for option in threshold profit ports omit depth; do
		value=$(default "${option^^}")
		[ -n "$value" ] || { echo "# no default of $option"; return 1; }
		arguments+=("--$option" "$value")
	done
	arguments+=(--probe "$(default RATE)" --target "$(default PERIOD)")
	"$equant" simulate run > "$scratch/first" &&
		"$equant" simulate run "${arguments[@]}" > "$scratch/second" &&
		diff "$scratch/first" "$scratch/second" &&
		! "$equant" simulate run --threshold 0.3 | cmp -s "$scratch/first"
}
if "$equant" help env > /dev/null 2>&1; then
	succeeds "run: what is not said is as the library has it" defaults
else
	skip "run: what is not said is as the library has it" "built without MPI"
fi

# 7 ranks give 0.067 of theirs each: by way of all between, one at a time, or not at all.
which_work_moves()
{
	local point="--ranks 8 --period 0 --units 1000"

	# shellcheck disable=SC2086
	near "$(point moved $point --restricted)" "$(awk 'BEGIN { print 4 * '"$(point moved $point)"' }')" 0.01 &&
		above "$(point moves --ranks 8 --period 2 --ports 1)" \
			"$(point moves --ranks 8 --period 2)" &&
		[ "$(point moved $point --omit 100)" = 0 ]
}
succeeds "run: which work moves, and how much at once, can be told" which_work_moves

off_is_off()
{
	[ "$(point moves --period 0 --tasks 0)" = 0 ] &&
		near "$(point balanced --period 0 --tasks 0 --interact 0)" 1 1e-9
}
succeeds "run: without a load nothing moves and nothing is lost" off_is_off

same_twice()
{
	"$equant" simulate run > "$scratch/first" && "$equant" simulate run > "$scratch/second" &&
		cmp "$scratch/first" "$scratch/second"
}
succeeds "run: the same arguments give the same numbers" same_twice

gap()
{
	"$equant" simulate run --svg "$scratch/gap.svg" > /dev/null &&
		grep -q '<path class="line".* d=""/>' "$scratch/gap.svg" &&
		! grep -q nan "$scratch/gap.svg"
}
succeeds "a number that is not known is not drawn" gap

# Every line of the chart is in it, and the chart is well-formed as far as tools here can tell.
chart()
{
	"$equant" simulate barrier --json --svg "$scratch/chart.svg" > "$scratch/chart.json" || return 1
	[ "$(grep -c 'class="line"' "$scratch/chart.svg")" = 2 ] || return 1
	[ "$(grep -c '"grain"' "$scratch/chart.json")" = 80 ] || return 1
	grep -q '"peak": 1.75,' "$scratch/chart.json" || return 1
	command -v python3 > /dev/null || return 0
	python3 -c 'import json, sys, xml.dom.minidom
xml.dom.minidom.parse(sys.argv[1])
json.load(open(sys.argv[2]))' "$scratch/chart.svg" "$scratch/chart.json"
}
exits 2 "loads '2,1,1,1,': expected whole numbers" "a list ends with a number" \
	"$equant" simulate barrier --loads 2,1,1,1,
exits 2 "grain '1:': expected NUMBER, or FROM:TO:STEP" "and so does a sweep" \
	"$equant" simulate barrier --grain 1:
exits 2 "grain '1:2': expected NUMBER, or FROM:TO:STEP" "which has three of them" \
	"$equant" simulate barrier --grain 1:2
succeeds "a chart has a line per column, and JSON a point per row" chart

# What is swept where nobody has said so suits the rest.
sweeps_of_its_own()
{
	[ "$("$equant" simulate pipeline --iterations 3 --json | grep -c '"block"')" = 3 ] &&
		[ "$("$equant" simulate pipeline --iterations 100 --json | grep -c '"block"')" = 40 ] &&
		[ "$("$equant" simulate pipeline --json | grep '"block"' | tail -n 1)" = \
			"$("$equant" simulate pipeline --block 200 --json | grep '"block"')" ] &&
		[ "$("$equant" simulate barrier --loads 997,991,983,977 --json | grep -c '"grain"')" = 80 ]
}
succeeds "few iterations and unlike loads have sweeps that fit" sweeps_of_its_own
exits 2 "phases: 2 quanta of CPU 0: its round has 2" "a phase that is rounded to a whole round is refused" \
	"$equant" simulate barrier --phases 1.9999999999,0,0,0
exits 2 "period: of an oscillating load only" "a constant load has no period" \
	"$equant" simulate program --load constant --period 3
exits 2 "period: of an oscillating load only" "... nor in a trace" \
	"$equant" simulate trace --load none --period 3
exits 2 "maxiter: of a Mandelbrot set only" "what a workload does not have cannot be swept" \
	"$equant" simulate selfsched --workload uniform --maxiter 10:100:10
exits 2 "maxiter: of a Mandelbrot set only" "... nor told" \
	"$equant" simulate selfsched --workload uniform --maxiter 7
exits 2 "barriers 1000000: the simulated time of these loads does not fit" "loads that no grain is short enough for are refused" \
	"$equant" simulate barrier --loads 1000,1000,1000,1000,1000 --barriers 1000000
exits 2 "dir and --json: a directory has both" "a directory of figures has JSON in any case" \
	"$equant" simulate figure 3.6 --dir "$scratch/figures" --json
exits 2 "list goes with nothing else" "a list of figures is not drawn" \
	"$equant" simulate figure --list --svg "$scratch/list.svg"

# 2e10 changes of the load.
many_changes()
{
	near "$(point balanced --quantum 1e-6 --period 1e-5 --step 1000 --seconds 100000)" 1 0.01
}
succeeds "run: changes of the load take no time to simulate" many_changes

columns_apart()
{
	"$equant" simulate timeline --loads 1,1 --grain 1000 --barriers 1000 > "$scratch/timeline" &&
		[ "$(tail -n 1 "$scratch/timeline" | wc -w)" = \
			"$(grep -m 1 '^ *time ' "$scratch/timeline" | wc -w)" ]
}
succeeds "numbers that fill their columns do not touch" columns_apart

finish
