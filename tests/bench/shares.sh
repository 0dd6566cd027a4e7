#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# The probe's shares and quantum against a raw trace of the scheduler's switches.

. "$(dirname "$0")/lib.sh"

: > "$out/$item.figures"
program=$TEST_BUILD/tests/bpf/shares_worker
if [ "$(id -u)" -ne 0 ] || [ ! -x "$program" ]; then
	echo "shares: left out: needs root and a build with BPF" | tee "$out/$item.figures"
	exit 0
fi
"$program" 2 > "$out/$item/output"
status=$?
cat "$out/$item/output"
sed -n 's/ held$/ met/p; s/\(MISSED\) .*$/\1/p; s/ disturbed$/ disturbed: not judged, unless below/p' \
	"$out/$item/output" > "$out/$item.figures"
# 1: a bound was missed, which the figures say; 3: there was no measuring
[ $status -le 1 ]
