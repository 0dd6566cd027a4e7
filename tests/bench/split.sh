#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Efficiency against grain beside one busy process, where ranks poll at MPI's barrier: work split in
# equal parts, in proportion to the shares, and as the barrier simulator predicts best.

. "$(dirname "$0")/lib.sh"

grains="500 1000 2000 3000 5000 10000 20000"
: > "$out/$item.figures"

for round in $(seq "$rounds"); do
	at_grains "$round" equal loop 1.5 EQUANT_BALANCE=off
	at_grains "$round" shares loop 1.5 EQUANT_WAIT=block EQUANT_POLLS=off
	at_grains "$round" predicted loop 1.5 EQUANT_WAIT=block EQUANT_POLLS=on
done

for grain in $grains; do
	for name in equal shares predicted; do
		judge "$name, $grain us of work per barrier: efficiency" "$name.$grain.efficiency"
	done
	judge "  predicted against equal parts: time" "predicted.$grain.elapsed/equal.$grain.elapsed"
	judge "  predicted against in proportion: time" "predicted.$grain.elapsed/shares.$grain.elapsed"
done
draw_grains "Efficiency by the split of the work, one of two CPUs shared" equal shares predicted
