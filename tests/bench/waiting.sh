#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Efficiency against grain beside one busy process, for each way of waiting.
# The work is split 1:2, as a balancer would.

. "$(dirname "$0")/lib.sh"

rounds=${BENCH_ROUNDS:-5}
ways="spin yield block auto"
grains="500 1000 2000 3000 5000 10000"
: > "$out/$item.figures"

for round in $(seq "$rounds"); do
	at_grains "$round" mpi mpi 0.6
	for name in $ways; do
		at_grains "$round" "$name" equant 0.6 "EQUANT_WAIT=$name"
	done
done

for grain in $grains; do
	for name in mpi $ways; do
		judge "$name, $grain us of work per barrier: efficiency" "$name.$grain.efficiency"
	done
done
judge "auto against MPI, 1000 us per barrier" auto.1000.efficiency/mpi.1000.efficiency '>=' 1
# shellcheck disable=SC2086
draw_grains "Efficiency by the way of waiting, one of two CPUs shared" mpi $ways
