/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR LGPL-2.1-only OR BSD-2-Clause */
/*
 * What /dev/equant, the kernel module's device, understands.
 *
 * Each open file has a table of its own: element 0 is a struct equant_table,
 * the others are the records (abi.h) of the tasks that were attached through
 * this file.  The table is mapped read-only; pages that hold no record yet
 * cannot be touched (SIGBUS), ->nr_records of the header says how far they go.
 * A file and its attachments last until the last descriptor is closed and the
 * last mapping is gone.
 *
 * Every structure is of fixed size; what is called pad must be zero.
 */
#ifndef EQUANT_KMOD_H
#define EQUANT_KMOD_H

#include <linux/ioctl.h>

#include <equant/abi.h>

#define EQUANT_DEVICE "/dev/equant"
#define EQUANT_KMOD_VERSION 1u

/* Of one file's table; its mapping is at most as large as that. */
#define EQUANT_FILE_RECORDS 1023u
#define EQUANT_FILE_BYTES ((EQUANT_FILE_RECORDS + 1u) * EQUANT_RECORD_SIZE)

/* Set in equant_info.features. */
#define EQUANT_KMOD_EVENTS (1u << 0) /* read() and poll() */
#define EQUANT_KMOD_URING (1u << 1) /* IORING_OP_URING_CMD */

/**
 * struct equant_info - EQUANT_IOC_INFO: what the module is and what is left
 *
 * The limits are numbers of records.
 */
struct equant_info {
	__u32 version; /* EQUANT_KMOD_VERSION */
	__u32 abi_version; /* EQUANT_ABI_VERSION */
	__u32 features; /* EQUANT_KMOD_* */
	__u32 table_features; /* EQUANT_TABLE_* of abi.h */
	__u32 record_size; /* EQUANT_RECORD_SIZE */
	__u32 event_size; /* sizeof(struct equant_kmod_event) */
	__u32 file_records; /* limit of one file */
	__u32 queue_events; /* events that a file keeps until they are read */
	__u32 records; /* limit of the whole machine */
	__u32 used;
	__u32 reserve; /* of them only for CAP_SYS_RESOURCE */
	__u32 per_user; /* limit of a user without it, 0 = none */
	__u32 mine; /* taken by the user who opened this file */
	__u32 tick_ns;
	__u64 pad[3];
};

/* Flags of equant_attach. */
#define EQUANT_ATTACH_EVENTS (1u << 0) /* put this task's events in the file's queue */

#define EQUANT_ROUNDS 10u /* the least number of scheduling rounds a share is measured over */
#define EQUANT_ROUNDS_MAX 1000u

/**
 * struct equant_attach - EQUANT_IOC_ATTACH
 *
 * Return: 0; EINVAL, ESRCH (no such task, or it exits), EPERM (it is not the caller's
 * to trace), EEXIST (attached through this file), EUSERS (machine's or
 * file's limit), EDQUOT (user's limit), EBUSY (attached through 16 files, for who has no
 * CAP_SYS_ADMIN), EAGAIN (it is becoming another program just now), ENODEV (module is being
 * retired), ENOMEM.
 */
struct equant_attach {
	__u32 tid; /* in the caller's pid namespace, 0 = the calling thread */
	__u32 flags; /* EQUANT_ATTACH_* */
	__u64 cookie; /* returned in the record and in events */
	__u32 threshold; /* of the share event, 0 = none; needs EQUANT_ATTACH_EVENTS */
	__u32 hysteresis; /* it is crossed beyond threshold +- hysteresis */
	__u32 rounds; /* measured over so many rounds, 0 = EQUANT_ROUNDS */
	__u32 index; /* out: of the record in this file's table, > 0 */
	__u64 pad[2];
};

/**
 * struct equant_detach - EQUANT_IOC_DETACH
 *
 * Return: 0; EINVAL, ENOENT (nothing is attached there).
 */
struct equant_detach {
	__u32 index;
	__u32 pad;
};

/**
 * struct equant_snapshot - EQUANT_IOC_SNAPSHOT and EQUANT_URING_SNAPSHOT
 *
 * Copies records of this file, each as a whole.  An index that has no task any
 * more gives a record in EQUANT_STATE_FREE.  A user who reads them adds
 * now - ->t_state as with the mapping.
 *
 * Return: the number of records copied; EINVAL (an index that cannot be, pad), EFAULT.
 */
struct equant_snapshot {
	__u64 indices; /* address of __u32[nr]; 0 = all that are attached, in order of index */
	__u64 records; /* address of struct equant_record[nr] */
	__u32 nr; /* 1 .. EQUANT_FILE_RECORDS */
	__u32 pad;
	__u64 now; /* out: CLOCK_MONOTONIC, after the last record was copied */
};

/**
 * struct equant_list - EQUANT_IOC_LIST: tasks attached through any file
 *
 * Lists those that the caller could attach, each once.  If there are more than
 * fit, the first ones are listed.
 *
 * Return: 0; EINVAL, EFAULT, ENOMEM.
 */
struct equant_list {
	__u64 tids; /* address of __u32[nr], in the caller's pid namespace */
	__u32 nr; /* 1 .. 65536 */
	__u32 pad;
	__u32 listed; /* out */
	__u32 total; /* out */
};

#define EQUANT_IOC 0xE9
#define EQUANT_IOC_INFO _IOR(EQUANT_IOC, 0, struct equant_info)
#define EQUANT_IOC_ATTACH _IOWR(EQUANT_IOC, 1, struct equant_attach)
#define EQUANT_IOC_DETACH _IOW(EQUANT_IOC, 2, struct equant_detach)
#define EQUANT_IOC_SNAPSHOT _IOWR(EQUANT_IOC, 3, struct equant_snapshot)
#define EQUANT_IOC_LIST _IOWR(EQUANT_IOC, 4, struct equant_list)

/**
 * struct equant_uring - the 16 bytes at sqe->cmd of IORING_OP_URING_CMD
 *
 * sqe->cmd_op is EQUANT_URING_SNAPSHOT.  Completes at once; the result in the
 * completion is the number of records or a negative errno.
 */
struct equant_uring {
	__u64 snapshot; /* address of struct equant_snapshot */
	__u64 pad;
};

#define EQUANT_URING_SNAPSHOT EQUANT_IOC_SNAPSHOT

/*
 * Events of the tasks that were attached with EQUANT_ATTACH_EVENTS.  read()
 * returns as many whole events as there are and fit (EINVAL if not one fits; it
 * waits for the first, or EAGAIN); poll() tells that there are some.
 */
enum equant_kmod_event_type {
	/* The number of runnable tasks on its CPU has grown, and held for a quantum. */
	EQUANT_EVENT_ARRIVED = 1,
	/* It has shrunk, and held for a quantum. */
	EQUANT_EVENT_LEFT,
	/* The measured share, run / (run + wait), crossed the threshold upwards. */
	EQUANT_EVENT_SHARE_UP,
	EQUANT_EVENT_SHARE_DOWN,
	/* The task is detached because it exited or called exec(). */
	EQUANT_EVENT_EXITED,
	/* The queue was full here: ->value events are missing. */
	EQUANT_EVENT_LOST,
};

/**
 * struct equant_kmod_event - one event; ->index to ->cookie are 0 in EQUANT_EVENT_LOST
 */
struct equant_kmod_event {
	__u64 t; /* when it happened, CLOCK_MONOTONIC */
	__u32 type; /* enum equant_kmod_event_type */
	__u32 index; /* of the record */
	__u32 tid; /* as in the record */
	__u32 value; /* runnable tasks, measured share, or number of lost events */
	__u32 before; /* ->value of the last event of this kind; before the first 1, or EQUANT_SHARE_ONE */
	__u32 share; /* share_now */
	__u64 cookie;
};

EQUANT_ABI_ASSERT(sizeof(struct equant_info) == 80);
EQUANT_ABI_ASSERT(sizeof(struct equant_attach) == 48);
EQUANT_ABI_ASSERT(sizeof(struct equant_detach) == 8);
EQUANT_ABI_ASSERT(sizeof(struct equant_snapshot) == 32);
EQUANT_ABI_ASSERT(sizeof(struct equant_list) == 24);
EQUANT_ABI_ASSERT(sizeof(struct equant_uring) == 16);
EQUANT_ABI_ASSERT(sizeof(struct equant_kmod_event) == 40);

#endif /* EQUANT_KMOD_H */
