// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A long accumulator: a fixed-point number wide enough for every double, so that
 * sums do not depend on the order of their terms (U. Kulisch and W. Miranker, The
 * Arithmetic of the Digital Computer: A New Approach, SIAM Review 28(1), 1986).
 * Digits of 32 bits in words of 64 leave carries until later.
 */
#include <math.h>
#include <string.h>

#include "core/exact.h"

#define DIGIT_BITS 32
#define DIGIT_MASK 0xffffffffu
#define MANTISSA_BITS 52
#define LOWEST_EXPONENT (-1074)
/* Terms whose digits fit into a word on top of a settled one. */
#define TERMS (1L << 30)

static void add_special(struct equant_exact *sum, uint64_t mantissa, int negative)
{
	if (mantissa)
		sum->nans++;
	else if (negative)
		sum->negative_infinities++;
	else
		sum->positive_infinities++;
}

static void add_one(struct equant_exact *sum, double value)
{
	uint64_t bits, mantissa;
	__uint128_t shifted;
	int64_t sign, *digit;
	int exponent;

	memcpy(&bits, &value, sizeof(bits));
	mantissa = bits & ((1ull << MANTISSA_BITS) - 1);
	exponent = (int)(bits >> MANTISSA_BITS & 0x7ff);
	if (exponent == 0x7ff) {
		add_special(sum, mantissa, bits >> 63);
		return;
	}
	if (exponent) {
		mantissa |= 1ull << MANTISSA_BITS;
		exponent--;
	}
	/* The mantissa's lowest bit is bit @exponent of the sum. */
	sign = bits >> 63 ? -1 : 1;
	digit = &sum->digits[exponent / DIGIT_BITS];
	shifted = (__uint128_t)mantissa << exponent % DIGIT_BITS;
	digit[0] += sign * (int64_t)(shifted & DIGIT_MASK);
	digit[1] += sign * (int64_t)(shifted >> DIGIT_BITS & DIGIT_MASK);
	digit[2] += sign * (int64_t)(shifted >> 2 * DIGIT_BITS);
}

void equant_exact_add(struct equant_exact *sum, const double *values, long n)
{
	for (long i = 0; i < n; i++) {
		if (i % TERMS == 0)
			equant_exact_settle(sum);
		add_one(sum, values[i]);
	}
	equant_exact_settle(sum);
}

/* All digits but the highest become 0 .. 2^32 - 1; that one has the sign. */
void equant_exact_settle(struct equant_exact *sum)
{
	int64_t carry = 0;

	for (int i = 0; i < EQUANT_EXACT_DIGITS - 1; i++) {
		int64_t digit = sum->digits[i] + carry;

		sum->digits[i] = digit & DIGIT_MASK;
		carry = (digit - sum->digits[i]) / ((int64_t)1 << DIGIT_BITS);
	}
	sum->digits[EQUANT_EXACT_DIGITS - 1] += carry;
}

/* Settled digits of the absolute value; true if the value is negative. */
static int make_positive(struct equant_exact *sum)
{
	equant_exact_settle(sum);
	if (sum->digits[EQUANT_EXACT_DIGITS - 1] >= 0)
		return 0;
	for (int i = 0; i < EQUANT_EXACT_DIGITS; i++)
		sum->digits[i] = -sum->digits[i];
	equant_exact_settle(sum);
	return 1;
}

static int bit_at(const struct equant_exact *sum, long at)
{
	return (int)(sum->digits[at / DIGIT_BITS] >> at % DIGIT_BITS & 1);
}

/* Index of the highest bit that is set, -1 for zero. */
static long highest_bit(const struct equant_exact *sum)
{
	for (int i = EQUANT_EXACT_DIGITS - 1; i >= 0; i--)
		if (sum->digits[i])
			return (long)i * DIGIT_BITS + 63 -
			       __builtin_clzll((uint64_t)sum->digits[i]);
	return -1;
}

static int any_below(const struct equant_exact *sum, long end)
{
	for (long at = 0; at < end; at++)
		if (bit_at(sum, at))
			return 1;
	return 0;
}

/* Where the number has more bits than a double it is none of the subnormal ones. */
static double round_to_double(const struct equant_exact *sum)
{
	long high = highest_bit(sum), low = high > MANTISSA_BITS ? high - MANTISSA_BITS : 0;
	uint64_t mantissa = 0;

	for (long at = high; at >= low; at--)
		mantissa = mantissa << 1 | (uint64_t)bit_at(sum, at);
	if (low && bit_at(sum, low - 1) && (mantissa & 1 || any_below(sum, low - 1)))
		mantissa++;
	return ldexp((double)mantissa, (int)low + LOWEST_EXPONENT);
}

double equant_exact_value(const struct equant_exact *sum)
{
	struct equant_exact settled = *sum;
	int negative;

	if (sum->nans || (sum->positive_infinities && sum->negative_infinities))
		return NAN;
	if (sum->positive_infinities)
		return INFINITY;
	if (sum->negative_infinities)
		return -INFINITY;
	negative = make_positive(&settled);
	return negative ? -round_to_double(&settled) : round_to_double(&settled);
}
