/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Where the time of a rank went whose program knows nothing of equant: what `equant run --profile`
 * prints.  Knows no MPI.
 *
 * A library that is loaded before the program takes MPI's calls, hands them on, and asks the probe of the
 * rank's thread when they begin and end.  Each rank has a file of its own in its memory, so that nothing is
 * added to what the ranks say to each other, and what a rank that was killed has left can be read, too.
 */
#ifndef EQUANT_PROFILE_H
#define EQUANT_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include <equant/export.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EQUANT_PROFILE_MAGIC 0x6670746e61757165ull /* "equantpf" */
#define EQUANT_PROFILE_CALL 32 /* bytes of a name */

/**
 * struct equant_profile_time - what became of some time of a thread
 * @wall_ns: all of it
 * @run_ns: on a CPU; 0 where features do not have EQUANT_PROBE_RUN
 * @wait_ns: it wanted a CPU and had none; 0 where features do not have EQUANT_PROBE_WAIT
 *
 * What is left it was asleep.
 */
struct equant_profile_time {
	uint64_t wall_ns;
	uint64_t run_ns;
	uint64_t wait_ns;
};

/**
 * struct equant_profile - a rank from MPI_Init() to MPI_Finalize(); the whole of a file
 * @magic: EQUANT_PROFILE_MAGIC
 * @size: sizeof(struct equant_profile)
 * @rank: in MPI_COMM_WORLD
 * @ranks: of that
 * @finished: MPI_Finalize() has ended
 * @is_inside: a call of MPI has begun, and not ended
 * @features: EQUANT_PROBE_* of <equant/probe.h> that the probe had all the time
 * @fallbacks: how often the probe vanished
 * @start_ns: when it began, CLOCK_REALTIME
 * @elapsed_ns: from then to when a call of MPI last began or ended
 * @outside: of MPI; of the thread that called MPI_Init(), as all that follows
 * @inside: of MPI
 * @calls: of MPI that are told from the program
 * @call_ns: what a call takes longer, as half of it is outside and half of it inside
 * @counted_ns: @elapsed_ns when what follows was counted, up to a second ago where the rank did not finish
 * @cpu_ns: CPU time of all threads of the process
 * @preemptions: times that one of them had to leave its CPU
 * @quantum_ns: the scheduler's quantum as observed last, 0: not known
 * @cpu: the CPU last seen on, -1: not known
 * @job: what whoever started the ranks calls them together; empty: not known
 * @probe: its name
 * @host: where it was
 * @call: the call that it is in, or was in last
 */
struct equant_profile {
	uint64_t magic;
	uint32_t size;
	int32_t rank;
	int32_t ranks;
	uint32_t finished;
	uint32_t is_inside;
	uint32_t features;
	uint32_t fallbacks;
	int32_t cpu;
	uint64_t start_ns;
	uint64_t elapsed_ns;
	struct equant_profile_time outside;
	struct equant_profile_time inside;
	uint64_t calls;
	double call_ns;
	uint64_t counted_ns;
	uint64_t cpu_ns;
	uint64_t preemptions;
	uint64_t quantum_ns;
	char probe[24];
	char host[64];
	char job[64];
	char call[EQUANT_PROFILE_CALL];
};

/**
 * equant_profile_load() - read and check what a rank has left
 * @path: file
 * @profile: receives it
 * @why: receives the reason of a failure; may be NULL
 * @why_size: its size
 *
 * Return: 0, or -errno: -EPROTO where it is no profile, or one of another version.
 */
EQUANT_API int equant_profile_load(const char *path, struct equant_profile *profile, char *why,
				   size_t why_size);

#ifdef __cplusplus
}
#endif
#endif /* EQUANT_PROFILE_H */
