#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Efficiency against grain beside one busy process, for each way of waiting.
# The work is split 1:2, as a balancer would.

. "$(dirname "$0")/lib.sh"

rounds=${BENCH_ROUNDS:-5}
program=$TEST_BUILD/tests/bench/waiting
ways="mpi spin yield block auto"
grains="500 1000 2000 3000 5000 10000"
: > "$out/$item.figures"

# way ROUND WAY: all grains in one job
way()
{
	local round=$1 way=$2 kind=equant file=$out/$item/$1-$2.txt

	[ "$way" = mpi ] && kind=mpi
	# shellcheck disable=SC2086
	if ! EQUANT_WAIT=${way/mpi/spin} mpirun --bind-to none \
		-np 1 taskset -c "$cpu_a" "$program" $kind busy 0.6 $grains : \
		-np 1 taskset -c "$cpu_b" "$program" $kind free 0.6 $grains > "$file" 2> "$out/$item/log"
	then
		echo "$item: $way failed:" >&2
		cat "$out/$item/log" >&2
		exit 1
	fi
	awk -v round="$round" -v way="$way" '{ printf "%s\t%s_%s\tphases=%s\telapsed=%s\twork=%s\tcompetitor=%s\tefficiency=%s\n",
		round, way, $1, $2, $3, $4, $5, $6 }' "$file" >> "$raw"
}

for round in $(seq "$rounds"); do
	for name in $ways; do
		way "$round" "$name"
	done
done

for grain in $grains; do
	for name in $ways; do
		judge "$name, $grain us of work per barrier: efficiency" "${name}_$grain.efficiency"
	done
done
judge "auto against MPI, 1000 us per barrier" auto_1000.efficiency/mpi_1000.efficiency '>=' 1
