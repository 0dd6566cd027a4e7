// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What is measured: a time per thing and a time before the first, fitted to samples.
 *
 * Samples are disturbed, always to be longer and at times much longer, and a long one is off
 * by more than a short one.  So residuals are relative to the sample, the line begins
 * as the one through two samples from which half of all are nearest, and least squares are
 * repeated with Tukey's bisquare as the weights: what is far off counts for nothing.
 *
 * Reference: Cierniak, Zaki, Li 1997, sections 4.1 and 4.3, asks for the values and leaves
 * open how; A. E. Beaton, J. W. Tukey, The Fitting of Power Series, Technometrics 16(2), 1974;
 * P. J. Rousseeuw, Least Median of Squares Regression, JASA 79, 1984.
 */
#include <errno.h>
#include <stdlib.h>

#include "plan/plan_internal.h"

#define ROUNDS 30
#define LINES 64
#define TUNING 4.685 /* 95 % as good as least squares where nothing is disturbed */
#define MAD 1.4826 /* standard deviations in a median absolute deviation */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *values, long n)
{
	qsort(values, (size_t)n, sizeof(*values), ascending);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static double residual(const struct equant_plan_sample *sample, const struct equant_plan_line *line)
{
	return (sample->time - line->fixed - line->each * sample->amount) / sample->time;
}

/* Weighted sums; the weight of a sample is that of its residual over its time, squared. */
struct sums {
	double one;
	double amount;
	double time;
	double square;
	double product;
};

static void add(struct sums *sums, const struct equant_plan_sample *sample, double weight)
{
	weight /= sample->time * sample->time;
	sums->one += weight;
	sums->amount += weight * sample->amount;
	sums->time += weight * sample->time;
	sums->square += weight * sample->amount * sample->amount;
	sums->product += weight * sample->amount * sample->time;
}

/* Least squares where neither number is negative. */
static void solve(const struct sums *sums, struct equant_plan_line *line)
{
	double spread = sums->one * sums->square - sums->amount * sums->amount;

	if (spread <= sums->one * sums->square * 1e-12)
		return;
	line->each = (sums->one * sums->product - sums->amount * sums->time) / spread;
	line->fixed = (sums->time - line->each * sums->amount) / sums->one;
	if (line->each < 0) {
		line->each = 0;
		line->fixed = sums->time / sums->one;
	} else if (line->fixed < 0) {
		line->fixed = 0;
		line->each = sums->product / sums->square;
	}
}

static double spread_of(const struct equant_plan_sample *samples, int n, double *room,
			const struct equant_plan_line *line)
{
	for (int i = 0; i < n; i++)
		room[i] = fabs(residual(&samples[i], line));
	return MAD * median(room, n);
}

static void through(const struct equant_plan_sample *a, const struct equant_plan_sample *b,
		    struct equant_plan_line *line)
{
	line->each = fmax((a->time - b->time) / (a->amount - b->amount), 0);
	line->fixed = fmax(a->time - line->each * a->amount, 0);
}

/* Least median of squares, among lines through two of up to LINES samples. */
static void begin(const struct equant_plan_sample *samples, int n, double *room,
		  struct equant_plan_line *line)
{
	int step = n / LINES + 1;
	double least;

	*line = (struct equant_plan_line){ 0 };
	for (int i = 0; i < n; i++)
		room[i] = samples[i].time;
	line->fixed = median(room, n);
	least = spread_of(samples, n, room, line);
	for (int i = 0; i < n; i += step)
		for (int j = 0; j < i; j += step) {
			struct equant_plan_line other = { 0 };
			double spread;

			if (samples[i].amount == samples[j].amount)
				continue;
			through(&samples[i], &samples[j], &other);
			spread = spread_of(samples, n, room, &other);
			if (spread < least) {
				least = spread;
				*line = other;
			}
		}
}

static void refine(const struct equant_plan_sample *samples, int n, double *room,
		   struct equant_plan_line *line)
{
	for (int round = 0; round < ROUNDS; round++) {
		double limit = TUNING * fmax(spread_of(samples, n, room, line), 1e-9);
		struct sums sums = { 0 };

		line->used = 0;
		for (int i = 0; i < n; i++) {
			double u = residual(&samples[i], line) / limit;

			if (fabs(u) >= 1)
				continue;
			add(&sums, &samples[i], (1 - u * u) * (1 - u * u));
			line->used++;
		}
		solve(&sums, line);
	}
	line->error = spread_of(samples, n, room, line);
}

int equant_plan_fit(const struct equant_plan_sample *samples, int n, struct equant_plan_line *line)
{
	double *room;

	if (n < 1 || n > EQUANT_PLAN_SAMPLES)
		return -EINVAL;
	for (int i = 0; i < n; i++)
		if (!(samples[i].amount >= 0) || !(samples[i].time > 0) ||
		    !isfinite(samples[i].amount) || !isfinite(samples[i].time))
			return -EINVAL;
	room = reallocarray(NULL, (size_t)n, sizeof(*room));
	if (!room)
		return -ENOMEM;
	begin(samples, n, room, line);
	refine(samples, n, room, line);
	free(room);
	return 0;
}

/*
 * Least squares of (a_i + a_j) / 2 = pair_ij over all pairs: with s_i the sum over i's pairs and
 * S that of all a,
 *
 *	s_i = ((p - 2) a_i + S) / 2,  S = sum s_i / (p - 1)
 *
 * Two processors cannot be told apart and get the same.
 */
int equant_plan_fit_pairs(const double *pairs, int p, double *each)
{
	double all = 0;

	if (p < 1)
		return -EINVAL;
	for (int i = 0; i < p; i++) {
		each[i] = 0;
		for (int j = 0; j < p; j++) {
			double pair = pairs[(size_t)i * (size_t)p + (size_t)j];

			if (i == j)
				continue;
			if (!(pair >= 0) || pair != pairs[(size_t)j * (size_t)p + (size_t)i])
				return -EINVAL;
			each[i] += pair;
		}
		all += each[i];
	}
	for (int i = 0; i < p; i++)
		if (p > 2)
			each[i] = fmax((2 * each[i] - all / (p - 1)) / (p - 2), 0);
	return 0;
}
