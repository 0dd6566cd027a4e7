#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# The cost of the calls in an application's loop, and of a balancing phase that
# moves nothing, two ranks in shared memory.

. "$(dirname "$0")/lib.sh"

hook=$TEST_BUILD/tests/bench/hook
: > "$out/$item.figures"

# take ROUND VARIANT COMMAND...: its "name value" lines become a line of raw figures
take()
{
	local round=$1 variant=$2 file=$out/$item/$1-$2.txt

	shift 2
	if ! "$@" > "$file" 2> "$out/$item/log"; then
		cat "$out/$item/log" >&2
		exit 1
	fi
	{
		printf '%s\t%s' "$round" "$variant"
		awk '{ printf "\t%s=%s", $1, $2 }' "$file"
		echo
	} >> "$raw"
}

probes=schedstat
! "$equant" run --quiet --probe bpf -- true > /dev/null 2>&1 || probes="schedstat bpf"

phase=(mpirun --bind-to none -np 1 taskset -c "$cpu_a" "$hook" phase
	: -np 1 taskset -c "$cpu_b" "$hook" phase)

for round in $(seq "$rounds"); do
	for probe in $probes; do
		export EQUANT_PROBE=$probe
		EQUANT_PERIOD=1e6 take "$round" "$probe" \
			mpirun --bind-to none -np 1 taskset -c "$cpu_b" "$hook" calls
		EQUANT_PERIOD=1e-9 EQUANT_THRESHOLD=1 take "$round" "${probe}_phase" "${phase[@]}"
	done
done

judge "a hook that is not due, ns" schedstat.hook_ns '<=' 5
judge "  an empty loop, ns" schedstat.empty_ns
judge "clock_gettime(CLOCK_MONOTONIC), ns" schedstat.clock_ns
judge "begin + end with schedstat, ns" schedstat.begin_end_ns '<=' 2000
if [ "$probes" != schedstat ]; then
	judge "begin + end with the kernel probe, ns" bpf.begin_end_ns
	judge "  in calls of clock_gettime" bpf.begin_end_clocks '<=' 4
fi
for probe in $probes; do
	judge "a phase without a move, $probe, us of CPU" "${probe}_phase.phase_cpu_us" '<=' 20
	judge "  mean" "${probe}_phase.phase_cpu_mean_us"
	judge "  by the loop's own account, without waiting" "${probe}_phase.phase_own_us"
	judge "  phases per hook" "${probe}_phase.phases_per_hook" '>=' 0.9
	judge "  moves" "${probe}_phase.moves" '<=' 0
done
