// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Which elements a process has for another: cyclic(x) on P against cyclic(y) on Q.
 *
 * Let x <= y; sender and receiver may be either side.  The fine blocks of process p begin at
 * a + i X, X = x P, the coarse ones of process q at b + m Y, Y = y Q.  Coarse block m lies
 *
 *	r = (b + m Y - a) mod X
 *
 * behind the beginning of a fine block, and has elements in common with fine blocks
 * of p only if -y < r < x (modulo X).  Of these r only those count that are congruent to b - a
 * modulo d = gcd(X, Y), and each of them is that of exactly one m modulo X / d:
 *
 *	m = (r - b + a) / d  (Y / d)^-1		(modulo X / d)
 *
 * So every r gives one coarse block that is repeated every X / d of them, lcm(X, Y) elements,
 * and nothing that is empty is ever looked at.  Within a coarse block the fine blocks are X
 * apart, a strided run, and the first and the last may be cut off.  So may be the first and
 * the last coarse block by the ends of the array.
 *
 * Source: sections 2 and 3 of Bhat, Prasanna, Raghavendra name the problem for general x and y
 * and refer to Thakur, Choudhary, Ramanujam 1996 for gcd and lcm.
 */
#include "redist/redist_internal.h"

/**
 * struct walk - the coarse blocks of one pair of processes
 * @pattern: of all pairs
 * @start: of the first coarse block that has any of the elements; negative if it is cut off
 * @blocks: coarse blocks with any of the elements
 * @emit: who gets the runs
 * @to: its argument
 */
struct walk {
	const struct equant_redist_pattern *pattern;
	int64_t start;
	int64_t blocks;
	void (*emit)(void *to, const struct equant_redist_run *run);
	void *to;
};

static int64_t modulo(int64_t a, int64_t m)
{
	a %= m;
	return a < 0 ? a + m : a;
}

/* gcd of @a and @b, and @inverse with a inverse = gcd (modulo b). */
static int64_t extended_gcd(int64_t a, int64_t b, int64_t *inverse)
{
	int64_t s = 1, t = 0, modulus = b;

	while (b) {
		int64_t quotient = a / b, rest = a % b, next = s - quotient * t;

		a = b;
		b = rest;
		s = t;
		t = next;
	}
	*inverse = modulo(s, modulus);
	return a;
}

void equant_redist_pattern_init(struct equant_redist_pattern *pattern, int64_t elements,
				const struct equant_redist_cyclic *from,
				const struct equant_redist_cyclic *to)
{
	int64_t fine, coarse, unused;

	*pattern = (struct equant_redist_pattern){
		.elements = elements,
		.fine = equant_redist_clamp(elements, from),
		.coarse = equant_redist_clamp(elements, to),
	};
	if (pattern->fine.block > pattern->coarse.block) {
		struct equant_redist_cyclic swap = pattern->fine;

		pattern->fine = pattern->coarse;
		pattern->coarse = swap;
		pattern->swapped = true;
	}
	fine = pattern->fine.block * pattern->fine.processes;
	coarse = pattern->coarse.block * pattern->coarse.processes;
	pattern->gcd = extended_gcd(fine, coarse, &unused);
	pattern->period = fine / pattern->gcd;
	extended_gcd(coarse / pattern->gcd % pattern->period, pattern->period, &pattern->inverse);
}

int64_t equant_redist_begin(const struct equant_redist_cyclic *cyclic, int process)
{
	int turn = (process - cyclic->first + cyclic->processes) % cyclic->processes;

	return cyclic->block * turn - cyclic->offset;
}

/*
 * @length elements from element @k on, and as many after each of the next @count - 1 fine
 * cycles; all of it @repeats times.
 */
static void emit_run(const struct walk *walk, int64_t k, int64_t length, int64_t count,
		     int64_t repeats)
{
	const struct equant_redist_pattern *pattern = walk->pattern;
	const struct equant_redist_cyclic *fine = &pattern->fine, *coarse = &pattern->coarse;
	int64_t at_fine = equant_redist_local_index(fine, k + fine->offset);
	int64_t at_coarse = equant_redist_local_index(coarse, k + coarse->offset);
	int64_t step = count > 1 ? fine->block : 0, cycle = step * fine->processes;
	int64_t period_fine = 0, period_coarse = 0;
	struct equant_redist_run run;

	if (repeats > 1) {
		period_fine = coarse->block * coarse->processes / pattern->gcd * fine->block;
		period_coarse = pattern->period * coarse->block;
	}
	if (pattern->swapped)
		run = (struct equant_redist_run){ at_coarse, at_fine,	    length,
						  count,     cycle,	    step,
						  repeats,   period_coarse, period_fine };
	else
		run = (struct equant_redist_run){ at_fine, at_coarse,	length,
						  count,   step,	cycle,
						  repeats, period_fine, period_coarse };
	walk->emit(walk->to, &run);
}

/* Coarse block @m, which lies @r behind the beginning of a fine block, @repeats times. */
static void emit_block(const struct walk *walk, int64_t m, int64_t r, int64_t repeats)
{
	const struct equant_redist_pattern *pattern = walk->pattern;
	int64_t x = pattern->fine.block, cycle = x * pattern->fine.processes;
	int64_t start = walk->start + m * pattern->coarse.block * pattern->coarse.processes;
	int64_t low = equant_redist_max(0, -start), at = -r, whole = 0;
	int64_t high = equant_redist_min(pattern->coarse.block, pattern->elements - start);

	if (at + x <= low)
		at += ((low - x - at) / cycle + 1) * cycle;
	if (at < low && low < high) {
		emit_run(walk, start + low, equant_redist_min(at + x, high) - low, 1, repeats);
		at += cycle;
	}
	if (at + x <= high)
		whole = (high - x - at) / cycle + 1;
	if (whole)
		emit_run(walk, start + at, x, whole, repeats);
	at += whole * cycle;
	if (at < high)
		emit_run(walk, start + at, high - at, 1, repeats);
}

/* Coarse block @m and those that repeat it. */
static void emit_blocks(const struct walk *walk, int64_t m, int64_t r)
{
	const struct equant_redist_pattern *pattern = walk->pattern;
	int64_t cycle = pattern->coarse.block * pattern->coarse.processes;
	int64_t period = pattern->period, end, last;

	if (m >= walk->blocks)
		return;
	last = m + (walk->blocks - 1 - m) / period * period;
	end = walk->start + last * cycle + pattern->coarse.block;
	if (m == 0 && walk->start < 0) {
		emit_block(walk, m, r, 1);
		m += period;
	}
	if (m > last)
		return;
	if (end <= pattern->elements) {
		emit_block(walk, m, r, (last - m) / period + 1);
		return;
	}
	if (m < last)
		emit_block(walk, m, r, (last - m) / period);
	emit_block(walk, last, r, 1);
}

/* By coarse blocks, of which there are few: @r of each, from @low on. */
static void by_blocks(const struct walk *walk, int64_t r, int64_t low)
{
	const struct equant_redist_pattern *pattern = walk->pattern;
	int64_t cycle = pattern->fine.block * pattern->fine.processes;
	int64_t step = pattern->coarse.block * pattern->coarse.processes % cycle;
	int64_t end = equant_redist_min(pattern->period, walk->blocks);

	r = low + modulo(r - low, cycle);
	for (int64_t m = 0; m < end; m++) {
		if (r < pattern->fine.block)
			emit_blocks(walk, m, r);
		r += step;
		r -= r >= low + cycle ? cycle : 0;
	}
}

/* By residues, from @low on: the first coarse block has @behind. */
static void by_residues(const struct walk *walk, int64_t behind, int64_t low)
{
	const struct equant_redist_pattern *pattern = walk->pattern;
	int64_t r = low + modulo(behind - low, pattern->gcd);
	int64_t turns = modulo((r - behind) / pattern->gcd, pattern->period);
	int64_t m = (int64_t)((__int128)turns * pattern->inverse % pattern->period);

	for (; r < pattern->fine.block; r += pattern->gcd) {
		emit_blocks(walk, m, r);
		m += pattern->inverse;
		m -= m >= pattern->period ? pattern->period : 0;
	}
}

void equant_redist_pattern_runs(const struct equant_redist_pattern *pattern, int p, int q,
				void (*emit)(void *to, const struct equant_redist_run *run),
				void *to)
{
	int64_t x = pattern->fine.block, fine = x * pattern->fine.processes;
	int64_t y = pattern->coarse.block, coarse = y * pattern->coarse.processes;
	int64_t low = equant_redist_max(1 - y, x - fine), behind;
	struct walk walk = { pattern, 0, 0, emit, to };

	walk.start =
		modulo(equant_redist_begin(&pattern->coarse, pattern->swapped ? p : q), coarse);
	if (walk.start - coarse + y > 0)
		walk.start -= coarse;
	if (walk.start >= pattern->elements || !pattern->elements)
		return;
	walk.blocks = (pattern->elements - 1 - walk.start) / coarse + 1;
	behind = modulo(walk.start - equant_redist_begin(&pattern->fine, pattern->swapped ? q : p),
			fine);
	if (walk.blocks < (x - low) / pattern->gcd)
		by_blocks(&walk, behind, x - fine);
	else
		by_residues(&walk, behind, low);
}

static void add_elements(void *to, const struct equant_redist_run *run)
{
	*(int64_t *)to += run->length * run->count * run->repeats;
}

int64_t equant_redist_pattern_count(const struct equant_redist_pattern *pattern, int p, int q)
{
	int64_t elements = 0;

	equant_redist_pattern_runs(pattern, p, q, add_elements, &elements);
	return elements;
}
