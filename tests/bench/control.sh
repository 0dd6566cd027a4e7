#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# What a balancing phase costs in messages and CPU time for each structure, on 2 to 64 ranks,
# which share the machine's CPUs: latencies would mean nothing here, chains and CPU times do.

. "$(dirname "$0")/lib.sh"

program=$TEST_BUILD/tests/bench/control
structures="exchange tree central"
sizes="2 4 8 16 32 64"
: > "$out/$item.figures"

# phases ROUND STRUCTURE RANKS
phases()
{
	local file=$out/$item/$1-$2-$3.txt

	if ! EQUANT_CONTROL=$2 mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 \
		-np "$3" "$program" 200 > "$file" 2> "$out/$item/log"; then
		echo "$item: $2 on $3 ranks failed:" >&2
		cat "$out/$item/log" >&2
		exit 1
	fi
	awk -v round="$1" -v structure="$2" '{
		printf "%s\t%s_%s\tchain=%s\tmessages=%s\tmost_messages=%s\tcpu=%s\tmost_cpu=%s\n",
			round, structure, $1, $2, $3, $4, $5, $6 }' "$file" >> "$raw"
}

for round in $(seq "$rounds"); do
	for ranks in $sizes; do
		for structure in $structures; do
			phases "$round" "$structure" "$ranks"
		done
	done
done

for ranks in $sizes; do
	for structure in $structures; do
		name=${structure}_$ranks
		judge "$structure, $ranks ranks: longest chain of messages" "$name.chain"
		judge "$structure, $ranks ranks: messages a rank" "$name.messages"
		judge "$structure, $ranks ranks: messages, busiest rank" "$name.most_messages"
		judge "$structure, $ranks ranks: CPU us a rank" "$name.cpu"
		judge "$structure, $ranks ranks: CPU us, busiest rank" "$name.most_cpu"
	done
done
judge "64 ranks: chain of central against tree" central_64.chain/tree_64.chain '>=' 5
judge "64 ranks: chain of tree against exchange" tree_64.chain/exchange_64.chain '<=' 2
