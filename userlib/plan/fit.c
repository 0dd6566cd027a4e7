// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What is measured: a time per thing and a time before the first, fitted to samples.
 *
 * Samples are disturbed, always to be longer and at times much longer, and a long one is off
 * by more than a short one.  So residuals are relative to the sample, the line begins
 * as the one through two samples from which half of all are nearest, then as the one with the least
 * bisquare loss at that spread, and least squares are repeated with Tukey's bisquare as the weights:
 * what is far off counts for nothing.
 *
 * Reference: Cierniak, Zaki, Li 1997, sections 4.1 and 4.3, asks for the values and leaves
 * open how; A. E. Beaton, J. W. Tukey, The Fitting of Power Series, Technometrics 16(2), 1974;
 * P. J. Rousseeuw, Least Median of Squares Regression, JASA 79, 1984;
 * V. J. Yohai, High Breakdown-Point and High Efficiency Robust Estimates for Regression, Annals of
 * Statistics 15(2), 1987.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* What is fitted: samples in order of amount and time, and room for as many numbers. */
struct fit {
	struct equant_plan_sample *samples;
	double *room;
	int n;
};

static double spread_of(const struct fit *fit, const struct equant_plan_line *line)
{
	for (int i = 0; i < fit->n; i++)
		fit->room[i] = fabs(residual(&fit->samples[i], line));
	return MAD * median(fit->room, fit->n);
}

/* Tukey's weight of a residual, and its integral, which is 1 for all that are far off. */
static double weight_of(double residual, double limit)
{
	double u = fmin(fabs(residual / limit), 1);

	return (1 - u * u) * (1 - u * u);
}

static double loss_of(double residual, double limit)
{
	double u = fmin(fabs(residual / limit), 1);

	return 1 - (1 - u * u) * (1 - u * u) * (1 - u * u);
}

/* With @limit 0 the spread of the nearest half, otherwise the loss of all. */
static double distance(const struct fit *fit, const struct equant_plan_line *line, double limit)
{
	double sum = 0;

	if (limit <= 0)
		return spread_of(fit, line);
	for (int i = 0; i < fit->n; i++)
		sum += loss_of(residual(&fit->samples[i], line), limit);
	return sum;
}

static void through(const struct equant_plan_sample *a, const struct equant_plan_sample *b,
		    struct equant_plan_line *line)
{
	line->each = fmax((a->time - b->time) / (a->amount - b->amount), 0);
	line->fixed = fmax(a->time - line->each * a->amount, 0);
}

/* Less than half of the samples within @spread: no need to sort them. */
static bool is_wider(const struct fit *fit, const struct equant_plan_line *line, double spread)
{
	int within = 0;

	for (int i = 0; i < fit->n; i++)
		within += MAD * fabs(residual(&fit->samples[i], line)) < spread;
	return 2 * within < fit->n;
}

/* The nearest of @line and all lines through two of up to LINES samples. */
static void search(const struct fit *fit, struct equant_plan_line *line, double limit)
{
	double least = distance(fit, line, limit);
	int step = fit->n / LINES + 1;

	for (int i = 0; i < fit->n; i += step)
		for (int j = 0; j < i; j += step) {
			const struct equant_plan_sample *a = &fit->samples[i],
							*b = &fit->samples[j];
			struct equant_plan_line other = { 0 };
			double found;

			if (a->amount == b->amount)
				continue;
			through(a, b, &other);
			if (limit <= 0 && is_wider(fit, &other, least))
				continue;
			found = distance(fit, &other, limit);
			if (found < least) {
				least = found;
				*line = other;
			}
		}
}

static double limit_of(const struct fit *fit, const struct equant_plan_line *line)
{
	return TUNING * fmax(spread_of(fit, line), 1e-9);
}

/*
 * Half of the samples tell how far good ones are off, and then all good ones tell the line: the
 * nearest half may be short samples only, which say little about the time per thing.
 */
static void begin(const struct fit *fit, struct equant_plan_line *line)
{
	*line = (struct equant_plan_line){ 0 };
	for (int i = 0; i < fit->n; i++)
		fit->room[i] = fit->samples[i].time;
	line->fixed = median(fit->room, fit->n);
	search(fit, line, 0);
	search(fit, line, limit_of(fit, line));
}

static void refine(const struct fit *fit, struct equant_plan_line *line)
{
	for (int round = 0; round < ROUNDS; round++) {
		double limit = limit_of(fit, line);
		struct sums sums = { 0 };

		line->used = 0;
		for (int i = 0; i < fit->n; i++) {
			double weight = weight_of(residual(&fit->samples[i], line), limit);

			add(&sums, &fit->samples[i], weight);
			line->used += weight > 0;
		}
		solve(&sums, line);
	}
	line->error = spread_of(fit, line);
}

static int in_order(const void *a, const void *b)
{
	const struct equant_plan_sample *x = a, *y = b;

	return x->amount == y->amount ? ascending(&x->time, &y->time) :
					ascending(&x->amount, &y->amount);
}

int equant_plan_fit(const struct equant_plan_sample *samples, int n, struct equant_plan_line *line)
{
	struct fit fit = { .n = n };
	int error = 0;

	if (n < 1 || n > EQUANT_PLAN_SAMPLES)
		return -EINVAL;
	for (int i = 0; i < n; i++)
		if (!(samples[i].amount >= 0) || !(samples[i].time > 0) ||
		    !isfinite(samples[i].amount) || !isfinite(samples[i].time))
			return -EINVAL;
	fit.samples = reallocarray(NULL, (size_t)n, sizeof(*fit.samples));
	fit.room = reallocarray(NULL, (size_t)n, sizeof(*fit.room));
	if (fit.samples && fit.room) {
		memcpy(fit.samples, samples, (size_t)n * sizeof(*samples));
		qsort(fit.samples, (size_t)n, sizeof(*samples), in_order);
		begin(&fit, line);
		refine(&fit, line);
		/* Squares of samples may be no number, or 0. */
		if (!isfinite(line->fixed) || !isfinite(line->each) || !isfinite(line->error))
			error = -EINVAL;
	} else {
		error = -ENOMEM;
	}
	free(fit.samples);
	free(fit.room);
	return error;
}

/*
 * Least squares of (a_i + a_j) / 2 = pair_ij over all pairs: with s_i the sum over i's pairs and
 * S that of all a,
 *
 *	s_i = ((p - 2) a_i + S) / 2,  S = sum s_i / (p - 1)
 *
 * Two processors cannot be told apart and get the same.  Who would get less than nothing gets nothing,
 * and the others, f of them, are fitted without: S = 2 sum s_i / (p - 2 + f) over those.  That S is
 * larger, so that nobody who was left out would come back, and the last S is the optimum's.
 */
static void fit_each(double *each, int p)
{
	int kept = p, before;
	double all;

	do {
		before = kept;
		all = 0;
		for (int i = 0; i < p; i++)
			if (each[i] >= 0)
				all += each[i];
		all /= (p - 2 + kept) / 2.0;
		for (int i = 0; i < p; i++) {
			if (each[i] >= 0 && 2 * each[i] < all) {
				each[i] = -1;
				kept--;
			}
		}
	} while (kept < before);
	for (int i = 0; i < p; i++)
		each[i] = each[i] < 0 ? 0 : (2 * each[i] - all) / (p - 2);
}

int equant_plan_fit_pairs(const double *pairs, int p, double *each)
{
	if (p < 1)
		return -EINVAL;
	for (int i = 0; i < p; i++) {
		each[i] = 0;
		for (int j = 0; j < p; j++) {
			double pair = pairs[(size_t)i * (size_t)p + (size_t)j];

			if (i == j)
				continue;
			if (!(pair >= 0) || !isfinite(pair) ||
			    pair != pairs[(size_t)j * (size_t)p + (size_t)i])
				return -EINVAL;
			each[i] += pair;
		}
	}
	if (p > 2)
		fit_each(each, p);
	return 0;
}
