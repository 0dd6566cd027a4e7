#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# One competitor that never rests, in the ranks' session and in another one.
# Autogroup makes the second the worse: the ranks' group must share its weight
# between two CPUs.  Grain: at least 20 quanta of 4 ms per rank and product, also for
# the rank that is left a quarter of the rows.

. "$(dirname "$0")/lib.sh"

size 0.16
job "$n" "$(for_seconds 8)"

for round in $(seq "$rounds"); do
	measure "$round" dedicated -- "${command[@]}"
	measure "$round" same_off --balance off --load "cpu=$cpu_a,constant" -- "${command[@]}"
	measure "$round" same_on --load "cpu=$cpu_a,constant" -- "${command[@]}"
	measure "$round" other_off --balance off --load "cpu=$cpu_a,constant,session=new" -- \
		"${command[@]}"
	measure "$round" other_on --load "cpu=$cpu_a,constant,session=new" -- "${command[@]}"
done

judge "load in the same session: part of the limit" same_on.of_limit '>=' 0.93
judge "  times as fast as not balanced" same_off.elapsed/same_on.elapsed '>=' 1.395
judge "  efficiency over the dedicated one" same_on.efficiency/dedicated.efficiency '>=' 0.97
judge "  could have been as fast as" same_off.elapsed/same_on.limit
judge "load in another session: part of the limit" other_on.of_limit '>=' 0.93
judge "  times as fast as not balanced" other_off.elapsed/other_on.elapsed '>=' 1.86
judge "  efficiency over the dedicated one" other_on.efficiency/dedicated.efficiency '>=' 0.97
judge "  could have been as fast as" other_off.elapsed/other_on.limit
judge "CPU time that others took, of the machine" same_on.others
