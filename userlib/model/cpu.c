// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A CPU whose competing load comes and goes: a sequence of segments in each of
 * which the number of tasks is constant, and either each task has an equal part
 * of any moment (processor sharing) or they take turns, the rank first.
 *
 * Reference: Siegell 1995, section 7.5: "an oscillating competing load with equal
 * on and off durations"; here of any durations.
 */
#include "model/model_internal.h"

/**
 * struct segment - a time in which the load does not change
 * @begin: nanoseconds; before 0 for the first
 * @end: INT64_MAX where the load is constant
 */
struct segment {
	int64_t begin;
	int64_t end;
	int tasks;
};

static struct segment segment_at(const struct equant_job_cpu *cpu, int64_t time)
{
	struct segment segment = { .begin = 0, .end = INT64_MAX, .tasks = cpu->tasks + 1 };
	int64_t since;

	if (!cpu->period)
		return segment;
	since = (time + (cpu->period - cpu->start)) % cpu->period;
	if (since < cpu->on) {
		segment.begin = time - since;
		segment.end = segment.begin + cpu->on;
	} else {
		segment.begin = time - since + cpu->on;
		segment.end = time - since + cpu->period;
		segment.tasks = 1;
	}
	return segment;
}

/* The rank's turn comes first when the load changes. */
static struct equant_round turns_in(const struct equant_job *job, const struct segment *segment)
{
	return (struct equant_round){
		.quantum = job->quantum,
		.length = job->quantum * segment->tasks,
	};
}

/* Time on the CPU in the first @since of a segment. */
static int64_t active(const struct equant_job *job, const struct segment *segment, int64_t since)
{
	struct equant_round round = turns_in(job, segment);

	if (job->scheduler == EQUANT_JOB_SHARED)
		return since / segment->tasks;
	return equant_round_active(&round, since);
}

/* The other way round: how long until so much of it? */
static int64_t after(const struct equant_job *job, const struct segment *segment, int64_t on)
{
	struct equant_round round = turns_in(job, segment);

	if (job->scheduler == EQUANT_JOB_SHARED)
		return on * segment->tasks;
	return equant_round_finish(&round, 0, on);
}

/* Time on the CPU in a period, from whichever change of the load on. */
static int64_t active_in_period(const struct equant_job *job, const struct equant_job_cpu *cpu)
{
	const struct segment on = { .end = cpu->on, .tasks = cpu->tasks + 1 };
	const struct segment off = { .end = cpu->period - cpu->on, .tasks = 1 };

	return cpu->period ? active(job, &on, on.end) + active(job, &off, off.end) : 0;
}

int64_t equant_cpu_finish(const struct equant_job *job, int rank, int64_t time, int64_t work)
{
	const struct equant_job_cpu *cpu = &job->cpus[rank];
	int64_t each = active_in_period(job, cpu), periods;

	while (work > 0) {
		struct segment segment = segment_at(cpu, time);
		int64_t before = active(job, &segment, time - segment.begin);
		int64_t room = active(job, &segment, segment.end - segment.begin) - before;

		if (work <= room)
			return segment.begin + after(job, &segment, before + work);
		work -= room;
		periods = each ? (work - 1) / each : 0;
		work -= periods * each;
		time = segment.end + periods * cpu->period;
	}
	return time;
}

int64_t equant_cpu_run(const struct equant_job *job, int rank, int64_t time)
{
	const struct equant_job_cpu *cpu = &job->cpus[rank];
	int64_t run = 0;

	for (int64_t t = 0; t < time;) {
		struct segment segment = segment_at(cpu, t);
		int64_t end = segment.end < time ? segment.end : time;
		int64_t periods = cpu->period ? (time - end) / cpu->period : 0;

		run += active(job, &segment, end - segment.begin) -
		       active(job, &segment, t - segment.begin);
		run += periods * active_in_period(job, cpu);
		t = end + periods * cpu->period;
	}
	return run;
}

/* Changes of the load after time 0 and up to @time. */
static int64_t changes_until(const struct equant_job_cpu *cpu, int64_t time)
{
	int64_t since = cpu->period - cpu->start, all;

	all = 2 * ((time + since) / cpu->period - since / cpu->period);
	all += (time + since) % cpu->period >= cpu->on;
	return all - (since % cpu->period >= cpu->on);
}

void equant_cpu_predict(const struct equant_job *job, int rank, int64_t time,
			struct equant_sample *sample)
{
	const struct equant_job_cpu *cpu = &job->cpus[rank];
	struct segment segment = segment_at(cpu, time);
	int64_t changes = cpu->period && cpu->tasks ? changes_until(cpu, time) : 0;
	int64_t begin = changes && segment.begin > 0 ? segment.begin : 0;

	sample->share = 1.0 / segment.tasks;
	sample->settled = sample->share;
	sample->hold = changes < 2 ? 0 : (double)time / (double)changes * 1e-9;
	sample->age = (double)(time - begin) * 1e-9;
}
