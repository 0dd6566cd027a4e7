#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# What the kernel probe costs a pair of processes that do nothing but switch.

. "$(dirname "$0")/lib.sh"

: > "$out/$item.figures"
program=$TEST_BUILD/tests/bench/pingpong
if [ "$(id -u)" -ne 0 ] || [ ! -x "$program" ]; then
	echo "pingpong: left out: needs root and a build with BPF" | tee "$out/$item.figures"
	exit 0
fi
TEST_BUILD=$TEST_BUILD flock /run/lock/equant-bench.lock "$program" "${BENCH_ROUNDS:-21}" > "$out/$item/output"
status=$?
sed -i 's/^pingpong: skipped:/pingpong: left out:/' "$out/$item/output"
cat "$out/$item/output"
sed -n 's/: held$/: met/p; /: MISSED$/p; /: left out:/p' "$out/$item/output" > "$out/$item.figures"
# 1: a bound was missed, 4: somebody else has loaded a probe; the figures say so
[ $status -le 1 ] || [ $status -eq 4 ]
