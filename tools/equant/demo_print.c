// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What the demonstration shows on the screen.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "demo.h"
#include "timeline.h"

#define WORTH_A_WORD 1.05 /* a ratio below it is called no gain */
#define DISTURBED 0.05 /* part of the machine that others may take unmentioned */

void demo_print_wrapped(const char *text, int width)
{
	int column = 0;

	while (*text) {
		int length = strcspn(text, " ");

		if (column && column + 1 + length > width) {
			putchar('\n');
			column = 0;
		}
		column += printf("%s%.*s", column ? " " : "", length, text);
		text += length;
		text += strspn(text, " ");
	}
	putchar('\n');
}

void demo_print_head(const struct demo *demo)
{
	char text[512];

	snprintf(
		text, sizeof(text),
		"A matrix product, %ld x %ld, %ld times, on two ranks, on CPUs %d and %d%s, measured with %s. A process that never rests shares CPU %d with rank 0. %d runs of some %.0f seconds.",
		demo->n, demo->n, demo->products, demo->cpus[0], demo->cpus[1],
		demo->siblings ? " of the same core" : "", demo->probe, demo->cpus[0],
		2 * demo->pairs, demo->seconds);
	demo_print_wrapped(text, timeline_width(stdout));
	printf("\n%-14s%8s%12s%14s%7s\n", "", "seconds", "CPU shares", "rows", "eff.");
	fflush(stdout);
}

static const char *fraction(char text[8], double value)
{
	snprintf(text, 8, isfinite(value) ? "%.2f" : "-", value);
	return text;
}

void demo_print_run(const struct demo *demo, int i)
{
	const struct demo_run *run = &demo->runs[i];
	char share[DEMO_RANKS][8], efficiency[8];

	printf("%-14s%8.2f%7s %-4s%8ld %-5ld%7s", i % 2 ? "balanced" : "not balanced", run->elapsed,
	       fraction(share[0], run->share[0]), fraction(share[1], run->share[1]), run->units[0],
	       run->units[1], fraction(efficiency, run->efficiency));
	putchar('\n');
	fflush(stdout);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, int count)
{
	qsort(values, count, sizeof(*values), compare);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Of the pairs: how much faster, and how much faster it could have been. */
static void gains(const struct demo *demo, double *gain, double *possible)
{
	double gained[DEMO_MAX_PAIRS], could[DEMO_MAX_PAIRS];

	for (int i = 0; i < demo->pairs; i++) {
		const struct demo_run *pair = &demo->runs[2 * i];

		gained[i] = pair[0].elapsed / pair[1].elapsed;
		could[i] = pair[0].elapsed / pair[1].limit;
	}
	*gain = median(gained, demo->pairs);
	*possible = median(could, demo->pairs);
}

static void print_disturbance(const struct demo *demo)
{
	double others = 0;
	char text[256];

	for (int i = 0; i < 2 * demo->pairs; i++)
		others += demo->runs[i].others / (2 * demo->pairs);
	if (!(others >= DISTURBED))
		return;
	snprintf(
		text, sizeof(text),
		"Other programs took %.0f %% of this machine's CPU time meanwhile: the figures would be steadier without them.",
		100 * others);
	demo_print_wrapped(text, timeline_width(stdout));
}

void demo_print_verdict(const struct demo *demo)
{
	const struct demo_run *last = &demo->runs[2 * demo->pairs - 1];
	double gain, possible;
	bool known = isfinite(last->share[0]) && isfinite(last->share[1]);
	char text[512], shares[128] = "", of_limit[128] = "";

	gains(demo, &gain, &possible);
	if (isfinite(possible))
		snprintf(of_limit, sizeof(of_limit),
			 " That is %.0f %% of what the CPU shares allow (limit %.2f).",
			 100 * gain / possible, possible);
	if (known && gain >= WORTH_A_WORD)
		snprintf(shares, sizeof(shares), "had %.0f %% of its CPU and ",
			 100 * last->share[0]);
	else if (known)
		snprintf(shares, sizeof(shares), ", with %.0f and %.0f %% of a CPU for the ranks",
			 100 * last->share[0], 100 * last->share[1]);
	if (gain >= WORTH_A_WORD)
		snprintf(
			text, sizeof(text),
			"Balanced, the same job finished %.2f times as fast: rank 0 %skept %ld of the %ld rows, so that both ranks finished together.%s",
			gain, shares, last->units[0], demo->n, of_limit);
	else
		snprintf(text, sizeof(text),
			 "Balancing gained nothing here: %.2f times as fast%s.%s", gain, shares,
			 of_limit);
	putchar('\n');
	demo_print_wrapped(text, timeline_width(stdout));
	print_disturbance(demo);
}
