#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# The same program measured by the kernel probe and by schedstat.

. "$(dirname "$0")/lib.sh"

if ! "$equant" run --quiet --probe bpf -- true > /dev/null 2>&1; then
	echo "probe: left out: the kernel probe is not loaded" | tee "$out/$item.figures"
	exit 0
fi
rounds=${BENCH_ROUNDS:-21}
size 0.1
job "$n" "$(for_seconds 3)"

for round in $(seq "$rounds"); do
	measure "$round" schedstat --probe schedstat -- "${command[@]}"
	measure "$round" bpf --probe bpf -- "${command[@]}"
done

# What the programs take of the CPUs is far below the noise of a run: the kernel can count it.
programs_ns()
{
	"$equant" probe status --json |
		perl -MJSON::PP -0777 -ne 'print eval { my $ns = 0;
			$ns += $_->{run_ns} // 0 for @{decode_json($_)->{programs}}; $ns }'
}

count=/proc/sys/kernel/bpf_stats_enabled
if [ -w "$count" ]; then
	counted=$(< "$count")
	trap 'echo "$counted" > "$count"; [ -z "$unjudged" ] || exit 1' EXIT
	echo 1 > "$count"
	start=$(date +%s%N) ns=$(programs_ns)
	measure 1 counted --probe bpf --load "cpu=$cpu_a,constant" -- "${command[@]}"
	ns=$(($(programs_ns) - ns)) start=$(($(date +%s%N) - start))
	echo "$counted" > "$count"
	perl -e 'printf "1\tprograms\tpart=%.9f\n", $ARGV[0] / $ARGV[1] / $ARGV[2]' \
		"$ns" "$start" "$(nproc)" >> "$raw"
fi

judge "with schedstat, seconds" schedstat.elapsed
judge "with the kernel probe, over schedstat" bpf.elapsed/schedstat.elapsed '<=' 1.005
judge "CPU time that others took, of the machine" bpf.others
[ ! -w "$count" ] || judge "CPU time in its programs, of the machine" programs.part
