// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nothing, at every tracepoint of the scheduler that the probes use: see hold_worker.c.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

#define HOLD(name)                 \
	SEC("tp_btf/" #name)       \
	int hold_##name(void *ctx) \
	{                          \
		return 0;          \
	}

HOLD(sched_switch)
HOLD(sched_wakeup)
HOLD(sched_wakeup_new)
HOLD(sched_update_nr_running_tp)
HOLD(sched_migrate_task)
HOLD(sched_process_exec)
HOLD(sched_process_fork)
HOLD(sched_process_exit)
