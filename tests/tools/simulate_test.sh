#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# The models on the command line: their tables, JSON and charts, and what they refuse.

. "$(dirname "$0")/lib.sh"

plan 16

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

prints "barrier shows the peaks of figure 3.14a and the time lines of 3.12 and 3.13" \
	barrier --loads 2,1,1,1 --grain 0.7:1.75:0.35 --barriers 10 << 'END'
10 barriers on 4 round-robin CPUs; nothing is lost at multiples of 1.75 quanta

     grain  balanced     equal
       0.7    0.7650    0.6087
      1.05    0.8898    0.5833
       1.4    0.9459    0.5895
      1.75    1.0000    0.5785
END

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
succeeds "a chart has a line per column, and JSON a point per row" chart

finish
