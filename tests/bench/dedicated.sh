#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Nobody competes: what measuring and balancing cost, against the same program without any
# call of equant.  The program's own clock counts.  On an uneven machine balancing gains something there: what
# phases cost in which nothing moves is measured beside it.

. "$(dirname "$0")/lib.sh"

rounds=${BENCH_ROUNDS:-21}
size 0.1

for round in $(seq "$rounds"); do
	job "$n" "$(for_seconds 2)" --plain
	timed "$round" plain " s verified"
	job "$n" "$(for_seconds 2)"
	timed "$round" equant " s verified"
	timed "$round" still " s verified" env EQUANT_THRESHOLD=1
done

judge "plain program, seconds" plain.elapsed
judge "with equant, over the plain program" equant.elapsed/plain.elapsed '<=' 1.01
judge "... that moves nothing" still.elapsed/plain.elapsed '<=' 1.01
