// SPDX-License-Identifier: GPL-2.0-only
/*
 * Three programs that do nothing where the probe's three busiest ones are:
 * what being called costs.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

SEC("tp_btf/sched_switch")
int empty_switch(void *ctx)
{
	return 0;
}

SEC("tp_btf/sched_wakeup")
int empty_wakeup(void *ctx)
{
	return 0;
}

SEC("tp_btf/sched_update_nr_running_tp")
int empty_nr_running(void *ctx)
{
	return 0;
}
