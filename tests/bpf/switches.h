/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What the raw trace of switches hands to user space. */
#ifndef SWITCHES_H
#define SWITCHES_H

enum switch_event_kind { SWITCH_EVENT, WAKEUP_EVENT };

struct switch_event {
	__u64 t_ns;
	__u32 kind;
	__s32 prev;
	__s32 next; /* the woken task of a wake-up */
	__u32 runnable; /* prev could have gone on */
};

#endif /* SWITCHES_H */
