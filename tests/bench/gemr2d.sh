#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# Ten million doubles from cyclic(x) to cyclic(K x) on one host, planning included: equant against ScaLAPACK's
# pdgemr2d and MPI's collectives, and a plan that is run again against a memcpy of the local arrays.

. "$(dirname "$0")/lib.sh"

program=$TEST_BUILD/tests/bench/gemr2d
: > "$out/$item.figures"
if [ ! -x "$program" ]; then
	echo "gemr2d: left out: needs a build with ScaLAPACK" | tee "$out/$item.figures"
	exit 0
fi

# run RANKS X K: the raw figures of all rounds, and in each the best of the others
run()
{
	local file=$out/$item/$1-$2.txt

	if ! mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -np "$1" \
		taskset -c "$cpu_a,$cpu_b" "$program" "$2" "$3" "$rounds" > "$file" \
		2> "$out/$item/log"
	then
		cat "$out/$item/log" >&2
		exit 1
	fi
	awk -v of="$1-$2" '
		{ print $1 "\t" of "-" $2 "\tms=" $3 }
		$2 ~ /pdgemr2d|alltoall/ && (!($1 in best) || $3 < best[$1]) { best[$1] = $3 }
		END { for (round in best) print round "\t" of "-best\tms=" best[round] }
	' "$file" >> "$raw"
}

# against RANKS X GOAL FLOORS: GOAL is against the best of the others, or with block size 1 against pdgemr2d
against()
{
	local way=best

	[ "$2" -ne 1 ] || way=pdgemr2d
	for name in equant kept pdgemr2d alltoallv alltoallw memcpy; do
		judge "$1 ranks, x = $2, $name, ms" "$1-$2-$name.ms"
	done
	judge "$1 ranks, x = $2, $way / equant" "$1-$2-$way.ms/$1-$2-equant.ms" '>=' "$3"
	judge "$1 ranks, x = $2, plan kept / memcpy" "$1-$2-kept.ms/$1-$2-memcpy.ms" '<=' "$4"
}

for ranks in 4 8; do
	run "$ranks" 1000 4
	run "$ranks" 64 4
	run "$ranks" 1 2
done
for ranks in 4 8; do
	against "$ranks" 1000 1.3 2.5
	against "$ranks" 64 1.3 2.5
	against "$ranks" 1 12 4
done
