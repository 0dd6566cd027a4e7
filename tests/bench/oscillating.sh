#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# A competitor that works half of each period: two seconds, in the ranks'
# session and in another one, also against the thesis' settings (Siegell 1995,
# section 7.1: period 1 s, measured and filtered rates); half a second.  Grain: a
# product takes each rank two quanta; the answer to a change cannot be faster than
# the program's hooks.

. "$(dirname "$0")/lib.sh"

slow=cpu=$cpu_a,period=2,duty=0.5
fast=cpu=$cpu_a,period=0.5,duty=0.5

size 0.008
job "$n" "$(for_seconds 6)"

for round in $(seq "$rounds"); do
	measure "$round" slow_off --balance off --load "$slow" -- "${command[@]}"
	measure "$round" slow_on --load "$slow" -- "${command[@]}"
	measure "$round" slow_thesis "${thesis[@]}" --load "$slow" -- "${command[@]}"
	measure "$round" other_off --balance off --load "$slow,session=new" -- "${command[@]}"
	measure "$round" other_on --load "$slow,session=new" -- "${command[@]}"
	measure "$round" fast_off --balance off --load "$fast" -- "${command[@]}"
	measure "$round" fast_on --load "$fast" -- "${command[@]}"
done

judge "2 s, same session: part of the limit" slow_on.of_limit '>=' 0.93
judge "  times as fast as not balanced" slow_off.elapsed/slow_on.elapsed
judge "  could have been as fast as" slow_off.elapsed/slow_on.limit
judge "  times as fast as the thesis' settings" slow_thesis.elapsed/slow_on.elapsed '>=' 1.05
judge "2 s, another session: part of the limit" other_on.of_limit '>=' 0.93
judge "  times as fast as not balanced" other_off.elapsed/other_on.elapsed
judge "  could have been as fast as" other_off.elapsed/other_on.limit
judge "0.5 s: times as fast as not balanced" fast_off.elapsed/fast_on.elapsed '>=' 1.05
judge "  part of the limit" fast_on.of_limit
judge "CPU time that others took, of the machine" slow_on.others
