#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# In a guest whose clock counts instructions: the shares of both sources by a trace, with
# strict bounds and over two seconds each.

. "$(dirname "$0")/../tools/lib.sh"

worker=$TEST_BUILD/tests/bpf/shares_worker
reason=
[ -n "${GUEST_EXACT:-}" ] || reason="the guest's clock is the machine's"
[ -e /dev/equant ] || reason="the module is not loaded"
[ -x "$worker" ] || reason="shares_worker is not built"
if [ -n "$reason" ]; then
	echo "1..0 # SKIP $reason"
	exit 4
fi

# by_trace SENTENCE SOURCE PATTERN: every case that has PATTERN in its name
by_trace()
{
	local status

	"$worker" 2 "$3" "$2" > "$scratch/cases" 2>&1
	status=$?
	sed 's/^/# /' "$scratch/cases"
	report $status "$2: $1"
}

sessions_are_groups()
{
	echo "$1" > /proc/sys/kernel/sched_autogroup_enabled
}

plan 6
succeeds "the BPF program is loaded" "$equant" probe load
for source in kmod bpf; do
	by_trace "shares and quanta are the trace's" $source ""
done
sessions_are_groups 0
for source in kmod bpf; do
	by_trace "... where sessions are no groups" $source session
done
sessions_are_groups 1
succeeds "the BPF program is unloaded" "$equant" probe unload
finish
