#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# The same program measured by the kernel probe and by schedstat.

. "$(dirname "$0")/lib.sh"

if ! "$equant" run --quiet --probe bpf -- true > /dev/null 2>&1; then
	echo "probe: left out, the kernel probe is not loaded" | tee "$out/$item.figures"
	exit 0
fi
rounds=${BENCH_ROUNDS:-21}
size 0.1
job "$n" "$(for_seconds 3)"

for round in $(seq "$rounds"); do
	measure "$round" schedstat --probe schedstat -- "${command[@]}"
	measure "$round" bpf --probe bpf -- "${command[@]}"
done

judge "with schedstat, seconds" schedstat.elapsed
judge "with the kernel probe, over schedstat" bpf.elapsed/schedstat.elapsed '<=' 1.005
judge "CPU time that others took, of the machine" bpf.others
