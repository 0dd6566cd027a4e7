// SPDX-License-Identifier: GPL-2.0-only
/*
 * A raw trace of one CPU's switches and wake-ups, as independent of the probe
 * as can be: no state, no arithmetic, only what happened and when.
 */
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "switches.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct thread_info {
	__u32 cpu;
};

struct task_struct {
	struct thread_info thread_info;
	int pid;
};
#pragma clang attribute pop

char LICENSE[] SEC("license") = "GPL";

const volatile __u32 traced_cpu;
__u64 lost;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 23);
} events SEC(".maps");

static __always_inline struct switch_event *new_event(__u32 kind)
{
	struct switch_event *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);

	if (!event) {
		__sync_fetch_and_add(&lost, 1);
		return NULL;
	}
	event->t_ns = bpf_ktime_get_ns();
	event->kind = kind;
	event->prev = event->next = 0;
	event->runnable = 0;
	return event;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(trace_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state)
{
	struct switch_event *event;

	if (bpf_get_smp_processor_id() != traced_cpu)
		return 0;
	event = new_event(SWITCH_EVENT);
	if (!event)
		return 0;
	event->prev = prev->pid;
	event->next = next->pid;
	event->runnable = preempt || !prev_state;
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(trace_wakeup, struct task_struct *task)
{
	struct switch_event *event;

	if (task->thread_info.cpu != traced_cpu)
		return 0;
	event = new_event(WAKEUP_EVENT);
	if (!event)
		return 0;
	event->next = task->pid;
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
	return 0;
}
