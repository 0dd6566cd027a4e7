#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# What a rank on another host waits for each batch of a self-scheduled loop: with the engine of two
# levels, which fetches ahead, with the master who is asked for each chunk, and with a one-sided
# addition, which waits for the target to call MPI.  A rank on each of two hosts, each on its own CPU.

. "$(dirname "$0")/lib.sh"

program=$TEST_BUILD/tests/bench/batches
hosts=$bench/../hosts/hosts
: > "$out/$item.figures"
if [ "$(id -u)" -ne 0 ] || ! why=$("$hosts" -n 2 true 2>&1); then
	echo "$item: left out: ${why:-several hosts on one machine need root}" |
		tee "$out/$item.figures"
	exit 0
fi

# Of its own accord Open MPI 4.1 takes osc/rdma, which makes no window over TCP.
export OMPI_MCA_osc=pt2pt,sm
for round in $(seq "$rounds"); do
	if ! "$hosts" -n 2 mpirun --oversubscribe --bind-to none \
		--host h0:1 -np 1 taskset -c "$cpu_a" "$program" : \
		--host h1:1 -np 1 taskset -c "$cpu_b" "$program" \
		> "$out/$item/$round.txt" 2> "$out/$item/log"; then
		cat "$out/$item/log" >&2
		exit 1
	fi
	sed -e "s/^\([^ ]*\) /$round\t\1\tus=/" "$out/$item/$round.txt" >> "$raw"
done

for ms in 1 10; do
	judge "stall per batch of two levels, chunks of $ms ms, us" "two_level_$ms.us"
	judge "the same without fetching ahead (master), us" "master_$ms.us"
done
judge "an addition to a rank that computes 100 ms, us" fetch_and_op.us
