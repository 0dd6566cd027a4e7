/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Probes: where the CPU time of a thread went, by the best source that works
 * here.  Knows no MPI.
 */
#ifndef EQUANT_PROBE_H
#define EQUANT_PROBE_H

#include <stddef.h>
#include <stdint.h>

#include <equant/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a probe can tell, beyond wall time. */
#define EQUANT_PROBE_RUN (1u << 0) /* run_ns: on-CPU time */
#define EQUANT_PROBE_WAIT (1u << 1) /* wait_ns: runnable but not running */
#define EQUANT_PROBE_QUANTUM (1u << 2) /* the scheduler's real quantum */
#define EQUANT_PROBE_PREDICTS (1u << 3) /* shares before they can be measured */

/**
 * struct equant_counters - the cheap reading, taken at begin and end
 * @t_ns: CLOCK_MONOTONIC
 * @run_ns: on-CPU time of the attached thread (wall time if the probe knows no better)
 * @wait_ns: time it was runnable but did not run (0 if the probe does not know)
 */
struct equant_counters {
	uint64_t t_ns;
	uint64_t run_ns;
	uint64_t wait_ns;
};

/**
 * struct equant_status - the full reading, taken once per balancing period
 * @now: the cheap reading, same instant
 * @flags: EQUANT_F_* of <equant/abi.h>; EQUANT_F_NO_PREDICTION bits forbid the shares below
 * @share: predicted share of a CPU, 0..1, already debounced: a change counts
 *	once it is older than one quantum
 * @settled: the share once the kernel's group averages have converged, debounced alike
 * @share_ns: integral of the undebounced share over runnable time
 * @quantum_ns: the scheduler's quantum as observed; 0 = not known
 * @t_epoch_ns: when the share last changed; if that is not older than a quantum yet, @share is what held
 *	for a quantum before it, however long ago that was, or short
 * @epoch: counts changes of the share
 * @runnable: runnable tasks on this CPU, this thread included; 0 = not known
 * @switches: times switched out
 * @contended_ns: total time others wanted this CPU while the thread did, the present episode included
 * @episodes: contended episodes that have ended
 * @long_episodes: those longer than a quantum
 * @long_ns: their total length
 * @changes: changes between shares that held for at least four quanta
 * @cpu: the CPU last seen on, -1 = not known
 */
struct equant_status {
	struct equant_counters now;
	uint32_t flags;
	double share;
	double settled;
	uint64_t share_ns;
	uint64_t quantum_ns;
	uint64_t t_epoch_ns;
	uint32_t epoch;
	uint32_t runnable;
	uint64_t switches;
	uint64_t preemptions;
	uint64_t yields;
	uint64_t blocks;
	uint64_t migrations;
	uint64_t contended_ns;
	uint64_t long_ns;
	uint32_t long_episodes;
	uint32_t episodes;
	uint32_t changes;
	int32_t cpu;
};

struct equant_probe;

/**
 * equant_probe_open() - attach the calling thread to a probe
 * @name: "kmod", "bpf", "schedstat", "clock", "replay:FILE", or "auto" for the best that
 *	works here
 * @why: buffer that receives, one line per probe tried, which one was taken
 *	and why better ones were not; may be NULL
 * @why_size: its size in bytes
 *
 * The reading functions must be called by the thread that opened the probe.
 *
 * Return: the probe, or NULL and errno: EINVAL unknown name (or malformed file of
 * replay, @why says where), ENODEV, EACCES, EPERM, EUSERS (table full), EDQUOT
 * (per-user limit), EPROTO (ABI of another version), ENOMEM.
 */
EQUANT_API struct equant_probe *equant_probe_open(const char *name, char *why, size_t why_size);

/**
 * equant_probe_close() - detach and free
 * @probe: may be NULL
 *
 * Must be called by the thread that opened it; in a forked child it only frees.
 */
EQUANT_API void equant_probe_close(struct equant_probe *probe);

/** equant_probe_name() - "bpf", "schedstat", ... */
EQUANT_API const char *equant_probe_name(const struct equant_probe *probe);

/** equant_probe_features() - EQUANT_PROBE_* of the source in use now */
EQUANT_API unsigned int equant_probe_features(const struct equant_probe *probe);

/** equant_probe_read() - the cheap reading; never fails, never blocks */
EQUANT_API void equant_probe_read(struct equant_probe *probe, struct equant_counters *now);

/** equant_probe_status() - the full reading; never fails, never blocks */
EQUANT_API void equant_probe_status(struct equant_probe *probe, struct equant_status *status);

/**
 * equant_probe_check() - is the source still alive?
 * @probe: the probe
 * @why: receives the reason of a fall-back, at least 128 bytes; may be NULL
 * @why_size: its size
 *
 * Compares the source with an independent one.  A source that has vanished is
 * replaced by the next best; counters go on without a jump (differences across
 * the change stay meaningful), equant_probe_name() and
 * equant_probe_features() tell the new one.
 *
 * Return: 0 alive, 1 fell back to another source, which @why explains.
 */
EQUANT_API int equant_probe_check(struct equant_probe *probe, char *why, size_t why_size);

/**
 * equant_probe_survey() - try every probe and report
 * @report: called once per probe with its name, 0 or -errno, and a sentence
 * @ctx: passed through
 */
EQUANT_API void equant_probe_survey(void (*report)(void *ctx, const char *name, int error,
						   const char *text),
				    void *ctx);

#ifdef __cplusplus
}
#endif
#endif /* EQUANT_PROBE_H */
