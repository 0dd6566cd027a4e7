/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR LGPL-2.1-only OR BSD-2-Clause */
/*
 * The record that the kernel side of equant keeps for each registered thread,
 * and the table the records live in.  Shared by the BPF program, the kernel
 * module and the library.
 *
 * A table is an array of 256-byte elements.  Element 0 is a struct
 * equant_table, elements 1..nr_records are struct equant_record.  User space
 * maps the whole array read-only.
 *
 * Writers: a record is written only under the run-queue lock of the CPU its
 * task is queued on, interrupts off.  Readers copy the record while ->seq is
 * even and unchanged, then extend the field that ->state names by
 * now - ->t_state (CLOCK_MONOTONIC).
 */
#ifndef EQUANT_ABI_H
#define EQUANT_ABI_H

#ifndef EQUANT_ABI_NO_TYPES /* the BPF program brings its own */
#include <linux/types.h>
#endif

#define EQUANT_ABI_VERSION 1u
#define EQUANT_TABLE_MAGIC 0x0031746e61757165ull /* "equant1", little endian */
#define EQUANT_RECORD_SIZE 256

/* Shares are fixed-point fractions of one CPU. */
#define EQUANT_SHARE_SHIFT 20
#define EQUANT_SHARE_ONE (1u << EQUANT_SHARE_SHIFT)

/*
 * A share counts once it has held for a quantum, or for so many ticks if the
 * quantum is longer, as it is beside tasks of little weight.
 */
#define EQUANT_HOLD_TICKS 4u
/* Nanoseconds, until one has been observed, where the kernel tells none. */
#define EQUANT_UNKNOWN_QUANTUM_NS 4000000u

/* Where `equant probe load` pins the objects; the version is part of the path. */
#define EQUANT_BPF_DIR "/sys/fs/bpf/equant-v1"
#define EQUANT_BPF_TABLE EQUANT_BPF_DIR "/table"

/*
 * Registration: prctl(EQUANT_PRCTL, op, cookie, 0, 0).  Where the probe can
 * return a value through prctl the answer is the record's index (> 0) or
 * -1 with errno EUSERS (the table is full), EDQUOT (per-user limit), EAGAIN (the last
 * detach has not taken effect yet).  Elsewhere prctl answers EINVAL as for any
 * unknown option and the caller looks for its tid, pid-namespace inode and
 * cookie in the table; a refusal is then found in ->refused_* of the table.
 */
#define EQUANT_PRCTL 0x65717631u /* "eqv1" */
#define EQUANT_PRCTL_ATTACH 1u
#define EQUANT_PRCTL_DETACH 2u

enum equant_state {
	EQUANT_STATE_FREE = 0, /* nobody's record */
	EQUANT_STATE_REGISTERED, /* identity is valid, no switch seen yet */
	EQUANT_STATE_RUN, /* on a CPU */
	EQUANT_STATE_WAIT, /* runnable, another task has the CPU */
	EQUANT_STATE_SLEEP, /* blocked */
};

/*
 * Validity flags.  While any bit of EQUANT_F_NO_PREDICTION is set, share_now
 * and share_settled must not be used as a prediction.
 */
#define EQUANT_F_REALTIME (1u << 0) /* real-time or deadline task runnable on this CPU */
#define EQUANT_F_CPU_MAX (1u << 1) /* a bandwidth limit (cpu.max) somewhere above */
#define EQUANT_F_CLASS (1u << 2) /* the task is not of the fair class */
#define EQUANT_F_DEEP (1u << 3) /* more scheduling-group levels than are followed */
#define EQUANT_F_CROWDED (1u << 4) /* more records on this CPU than are looked at */
#define EQUANT_F_WIDE (1u << 5) /* more runnable entities on a level than are summed */
#define EQUANT_F_UNSETTLED \
	(1u << 6) /* group weights cannot be foreseen: share_settled = share_now */
#define EQUANT_F_NO_PREDICTION                                                   \
	(EQUANT_F_REALTIME | EQUANT_F_CPU_MAX | EQUANT_F_CLASS | EQUANT_F_DEEP | \
	 EQUANT_F_CROWDED | EQUANT_F_WIDE)

/**
 * struct equant_record - what the kernel knows of one registered thread
 *
 * All times are nanoseconds of CLOCK_MONOTONIC, all shares 2^-20 of a CPU.
 */
struct equant_record {
	/* The first 128 bytes: all that begin/end of a compute section read. */
	__u32 seq; /* odd while the writer is in the record */
	__u32 state; /* enum equant_state */
	__u32 flags; /* EQUANT_F_* */
	__s32 cpu; /* the CPU last seen on, -1 before the first switch */
	__u64 t_state; /* when ->state began; the counters are current up to here */
	__u64 run_ns;
	__u64 wait_ns;
	__u64 sleep_ns;
	__u64 share_ns; /* integral of share_now over run + wait time, up to t_share */
	__u64 t_share; /* when share_now was last recomputed (integral is current up to here) */
	__u32 share_now; /* what the present group weights give */
	__u32 share_settled; /* what they will give once the kernel's averages converge */
	__u32 share_prev; /* the last share_now that held for at least a quantum */
	__u32 epoch; /* counts changes of share_now, slow drift of group weights left out */
	__u64 t_epoch; /* when the epoch began */
	__u32 quantum_ns; /* average slice that began and ended by preemption; 0 = none yet */
	__u32 nr_runnable; /* runnable tasks on this CPU, this one included */
	__u64 switches; /* times switched out */
	__u64 contended_ns; /* total length of the ended contended episodes */
	__u64 t_contended; /* start of the present episode, 0 = not contended */
	__u64 t_attach;

	/* The second 128 bytes: identity and everything read once a period. */
	__u32 version; /* EQUANT_ABI_VERSION */
	__u32 tid; /* as the owner sees it */
	__u32 tgid;
	__u32 ns_inode; /* the owner's pid namespace */
	__u64 cookie; /* chosen by the owner */
	__u64 preemptions; /* switched out runnable, against its will */
	__u64 yields; /* sched_yield(): not a preemption */
	__u64 blocks; /* switched out to sleep */
	__u64 migrations;
	__u64 settled_ns; /* integral of share_settled, like share_ns */
	__u32 last_slice_ns; /* saturates */
	__u32 slice_ns; /* the configured slice, 0 where the kernel has none */
	__u32 slices; /* slices in ->quantum_ns, saturates */
	__u32 episodes; /* ended contended episodes */
	__u32 long_episodes; /* those longer than a quantum */
	__u32 levels; /* scheduling-group levels above the task */
	__u64 long_ns; /* total length of the episodes in ->long_episodes */
	__u32 settled_prev; /* share_settled when share_prev was share_now */
	__u32 changes; /* changes between shares that held for at least four quanta */
	__u8 reserved[24];
};

/* Set in equant_table.features. */
#define EQUANT_TABLE_PRCTL_ANSWERS (1u << 0) /* prctl itself returns the index */
#define EQUANT_TABLE_PREDICTS (1u << 1) /* share_now and share_settled are kept */
#define EQUANT_TABLE_CONFIGURED_SLICE (1u << 2) /* the kernel has p->se.slice */

enum equant_table_state {
	EQUANT_TABLE_LOADING = 0,
	EQUANT_TABLE_LIVE,
	EQUANT_TABLE_DEAD, /* set before the programs are detached */
};

/**
 * struct equant_table - element 0 of the array
 */
struct equant_table {
	__u64 magic; /* EQUANT_TABLE_MAGIC */
	__u32 version; /* EQUANT_ABI_VERSION */
	__u32 record_size; /* EQUANT_RECORD_SIZE */
	__u32 nr_records; /* records that follow this element */
	__u32 state; /* enum equant_table_state */
	__u32 features; /* EQUANT_TABLE_* */
	__u32 nr_used; /* records taken now */
	__u32 per_user; /* limit of records per user, 0 = none */
	__u32 reserve; /* records only root may take */
	__u64 t_load;
	__u64 attached; /* registrations since load */
	__u64 refused_full; /* refused because the table was full */
	__u64 refused_user; /* refused by the per-user limit */
	__u32 default_quantum_ns; /* configured slice rounded up to the tick; 0 = unknown */
	__u32 tick_ns;
	__u8 reserved[176];
};

#ifndef __cplusplus
#define EQUANT_ABI_ASSERT(cond) _Static_assert(cond, #cond)
#else
#define EQUANT_ABI_ASSERT(cond) static_assert(cond, #cond)
#endif
EQUANT_ABI_ASSERT(sizeof(struct equant_record) == EQUANT_RECORD_SIZE);
EQUANT_ABI_ASSERT(sizeof(struct equant_table) == EQUANT_RECORD_SIZE);
EQUANT_ABI_ASSERT(__builtin_offsetof(struct equant_record, t_state) == 16);
EQUANT_ABI_ASSERT(__builtin_offsetof(struct equant_record, t_contended) == 112);
EQUANT_ABI_ASSERT(__builtin_offsetof(struct equant_record, version) == 128);
EQUANT_ABI_ASSERT(__builtin_offsetof(struct equant_record, reserved) == 232);

#endif /* EQUANT_ABI_H */
