#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# What equant run --profile costs: a program that does nothing but send a number to and fro, which is where it
# costs most, and one that computes.  The programs' own clocks count.

. "$(dirname "$0")/lib.sh"

size 0.1

# timed ROUND VARIANT WORD...: the words come before the command
timed()
{
	local round=$1 variant=$2 elapsed

	shift 2
	elapsed=$("$@" "${command[@]}" 2> "$out/$item/log" | tee "$out/$item/$round-$variant.txt" |
		sed -n 's/.* elapsed=\([0-9.]*\).*/\1/p')
	if [ -z "$elapsed" ]; then
		cat "$out/$item/log" "$out/$item/$round-$variant.txt" >&2
		exit 1
	fi
	printf '%s\t%s\telapsed=%s\n' "$round" "$variant" "$elapsed" >> "$raw"
}

for round in $(seq "$rounds"); do
	programs=$TEST_BUILD/tests/preload
	ranks program_worker messages
	for probe in none clock schedstat auto; do
		if [ $probe = none ]; then
			timed "$round" messages
		else
			timed "$round" "messages-$probe" "$equant" run --quiet --profile --probe "$probe" \
				--output "$out/$item/$round-$probe.profile" --
		fi
	done
	programs=$TEST_BUILD/libexec/equant
	job "$n" "$(for_seconds 3)" --plain
	timed "$round" work
	timed "$round" work-profile "$equant" run --quiet --profile --output "$out/$item/$round-work.profile" --
done

judge "a message to and fro, seconds of 300000" messages.elapsed
for probe in clock schedstat auto; do
	judge "... with --profile, over without, probe $probe" "messages-$probe.elapsed/messages.elapsed"
done
judge "a program that computes, with --profile, over without" work-profile.elapsed/work.elapsed '<=' 1.01
