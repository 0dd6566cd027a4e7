// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The probe's shares and quantum against a raw trace of sched_switch.
 *
 * Usage: shares_worker [SECONDS [PATTERN [bpf|kmod]]]	(root, the probe loaded; default 2)
 *
 * One line per case; the exit status is 1 when a bound was missed.  A case during
 * which others took part of the CPU, or the trace has a gap, is repeated, and if that does not help its
 * prediction is not judged: who comes and goes within milliseconds is not to be
 * predicted.  Bounds:
 * measured share within 0.002 of the trace, mean of the predicted share within
 * 0.005, share_now right within 1 ms of the competitors' wake-up, share_settled
 * within 25 ms where a group spans CPUs, quantum within 2 %.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <equant/abi.h>

#include "libshares.h"

#define MEASURED_BOUND 0.002
#define PREDICTED_BOUND 0.005
#define NOW_BOUND_MS 1.0
#define SETTLED_BOUND_MS 25.0
#define QUANTUM_BOUND 0.02
#define BURST_MS 20.0 /* five quanta of 4 ms */
#define QUIET 0.004 /* of the CPU for others */
#define TRIES 5
#define ENOUGH_SLICES 16 /* before, the averages differ in what they forgot */

static bool is_settled_in_time(const char *source, const struct finding *f)
{
	if (!strcmp(source, "kmod"))
		return f->flags & EQUANT_F_UNSETTLED;
	return f->settled_ms >= 0 && f->settled_ms <= SETTLED_BOUND_MS;
}

static const char *judge_times(const struct situation *situation, const char *source,
			       const struct finding *f)
{
	bool competed = situation->competitors[0].session != NONE;

	if (situation->spans && !is_settled_in_time(source, f))
		return "MISSED settled in time";
	if (competed && !situation->spans && !situation->renice &&
	    (f->now_ms < 0 || f->now_ms > NOW_BOUND_MS))
		return "MISSED now in time";
	/* Whose quantum changes half-way, the averages forget differently. */
	if (f->slices >= ENOUGH_SLICES && !situation->renice &&
	    fabs(f->quantum_us / f->trace_quantum_us - 1) > QUANTUM_BOUND)
		return "MISSED quantum";
	return "held";
}

/* Bursts need not be predicted, but must be seen to be shorter than five quanta. */
static const char *verdict(const struct situation *situation, const char *source,
			   const struct finding *f)
{
	if (f->lost)
		return "MISSED events";
	if (f->gaps)
		return "disturbed";
	if (fabs(f->measured - f->truth) > MEASURED_BOUND)
		return "MISSED measured";
	if (situation->limited)
		return f->flags & EQUANT_F_CPU_MAX ? "held" : "MISSED limit";
	if (situation->bursts && f->mean_episode_ms < BURST_MS)
		return "held";
	if (f->other > QUIET)
		return "disturbed";
	if (situation->bursts)
		return "MISSED bursts";
	if (fabs(f->now - f->truth) > PREDICTED_BOUND)
		return "MISSED predicted";
	return judge_times(situation, source, f);
}

static void print_head(void)
{
	printf("%-30s %8s %8s %8s %8s %8s %9s %9s %9s %6s %7s  %s\n", "case", "truth", "measured",
	       "now", "settled", "now ms", "settl. ms", "quantum", "by trace", "slices", "others",
	       "bounds");
}

static void print_finding(const struct situation *situation, const struct finding *f,
			  const char *text)
{
	printf("%-30s %8.4f %+8.4f %+8.4f %+8.4f %8.3f %9.3f %9.1f %9.1f %6u %7.4f  %s\n",
	       situation->name, f->truth, f->measured - f->truth, f->now - f->truth,
	       f->settled - f->truth, f->now_ms, f->settled_ms, f->quantum_us, f->trace_quantum_us,
	       f->slices, f->other, text);
}

/* Every try is printed; the last one counts. */
static const char *try_case(const struct situation *situation, const char *source, unsigned int ms)
{
	struct finding finding;
	const char *text = "";
	char why[256];

	for (int i = 0; i < TRIES; i++) {
		if (find_shares(situation, source, ms, &finding, why, sizeof(why))) {
			fprintf(stderr, "shares: %s: %s\n", situation->name, why);
			exit(3);
		}
		text = verdict(situation, source, &finding);
		print_finding(situation, &finding, text);
		if (strcmp(text, "disturbed"))
			break;
	}
	return text;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 2;
	const char *source = argc > 3 ? argv[3] : "bpf";
	const char *text;
	int bad = 0;

	if (seconds < 0.1 || seconds > 60) {
		fprintf(stderr, "shares: expected 0.1 to 60 seconds\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	print_head();
	for (size_t i = 0; i < nr_situations; i++) {
		if (argc > 2 && !strstr(situations[i].name, argv[2]))
			continue;
		if (situations[i].groups[0].path && why_no_groups(situations[i].limited)) {
			printf("%-30s left out: %s\n", situations[i].name,
			       why_no_groups(situations[i].limited));
			continue;
		}
		text = try_case(&situations[i], source, (unsigned int)(seconds * 1000));
		bad |= !strncmp(text, "MISSED", 6);
	}
	return bad;
}
