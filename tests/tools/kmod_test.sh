#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# The kernel module's probe, asked for by name where the module is not loaded.

. "$(dirname "$0")/lib.sh"

if [ -e /dev/equant ]; then
	echo "1..0 # SKIP the module is loaded"
	exit 4
fi

plan 3
exits 125 'probe kmod: .*/dev/equant: the kernel module is not loaded' \
	"a job is not started with a probe that is not there" "$equant" run --probe kmod -- true
exits 0 '^kmod *no .*modprobe equant' "the status says what is missing" "$equant" probe status

job()
{
	local output

	output=$(EQUANT_PROBE=kmod mpirun --oversubscribe --bind-to none -np 2 "$mm" -n 20 -p 2 2>&1) &&
		return 1
	echo "$output"
	echo "$output" | grep -q 'kmod: not available: .*modprobe equant'
}
missing=$(missing_for_jobs)
if [ -n "$missing" ]; then
	skip "ranks that ask for it say what is missing" "$missing"
else
	succeeds "ranks that ask for it say what is missing" job
fi
finish
