#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# What a chunk of a self-scheduled loop costs two ranks that do nothing but ask, one per CPU.

. "$(dirname "$0")/lib.sh"

program=$TEST_BUILD/tests/bench/self
: > "$out/$item.figures"

for round in $(seq "$rounds"); do
	if ! mpirun --bind-to none -np 1 taskset -c "$cpu_a" "$program" : \
		-np 1 taskset -c "$cpu_b" "$program" > "$out/$item/$round.txt" 2> "$out/$item/log"
	then
		cat "$out/$item/log" >&2
		exit 1
	fi
	sed -e "s/^\([^ ]*\) /$round\t\1\tns=/" "$out/$item/$round.txt" >> "$raw"
done

for scheme in ss tss dtss; do
	judge "a chunk of $scheme, 2 ranks asking, ns" "$scheme.ns" '<=' 100
done
judge "a chunk of trees, behind a lock, ns" trees.ns
judge "a chunk by MPI_Fetch_and_op, ns" fetch_and_op.ns '<=' 600
