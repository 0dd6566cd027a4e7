#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# What equant run --profile costs: a program that does nothing but send a number to and fro, which is where it
# costs most, and one that computes.  The programs' own clocks count.

. "$(dirname "$0")/lib.sh"

size 0.1

for round in $(seq "$rounds"); do
	programs=$TEST_BUILD/tests/preload
	ranks program_worker messages
	for probe in none clock schedstat auto; do
		if [ $probe = none ]; then
			timed "$round" messages ""
		else
			timed "$round" "messages-$probe" "" "$equant" run --quiet --profile --probe "$probe" \
				--output "$out/$item/$round-$probe.profile" --
		fi
	done
	programs=$TEST_BUILD/libexec/equant
	job "$n" "$(for_seconds 3)" --plain
	timed "$round" work " s verified"
	timed "$round" work-profile " s verified" "$equant" run --quiet --profile \
		--output "$out/$item/$round-work.profile" --
done

judge "a message to and fro, seconds of 300000" messages.elapsed
for probe in clock schedstat auto; do
	judge "... with --profile, over without, probe $probe" "messages-$probe.elapsed/messages.elapsed"
done
judge "a program that computes, with --profile, over without" work-profile.elapsed/work.elapsed '<=' 1.01
