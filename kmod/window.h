/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The share of its CPU that a task had over a window of time, from the counters of its record.
 *
 * Counters are charged by hooks, up to the time that their CPU's clock shows; a timer that closes
 * a window adds what has not been charged yet, up to the time of another CPU's clock, which may be a
 * little ahead.  What is charged next may then be less than what the last window ended with.  No
 * time has passed since, as far as it is known.
 *
 * Whoever includes this has u32, u64 and mul_u64_u64_div_u64(), which stops the machine
 * where a quotient has more than 64 bits; that of a part never has.
 */
#ifndef EQUANT_KMOD_WINDOW_H
#define EQUANT_KMOD_WINDOW_H

#include <equant/abi.h>

struct equant_window {
	u64 run_ns; /* the record's, when it was opened */
	u64 wait_ns;
	u32 dispatches; /* since then */
};

static inline void equant_window_open(struct equant_window *window, u64 run_ns, u64 wait_ns)
{
	window->run_ns = run_ns;
	window->wait_ns = wait_ns;
	window->dispatches = 0;
}

static inline u64 equant_window_growth(u64 before, u64 now)
{
	return now > before ? now - before : 0;
}

/**
 * equant_window_share() - the share since the window was opened
 * @window: the window
 * @run_ns: the record's, now
 * @wait_ns: likewise
 * @least_ns: runnable time that makes a share, not 0
 * @share: receives it, EQUANT_SHARE_ONE at most
 *
 * Return: was there enough?
 */
static inline bool equant_window_share(const struct equant_window *window, u64 run_ns, u64 wait_ns,
				       u64 least_ns, u32 *share)
{
	u64 ran = equant_window_growth(window->run_ns, run_ns);
	u64 runnable = ran + equant_window_growth(window->wait_ns, wait_ns);

	if (!runnable || runnable < least_ns)
		return false;
	/* Of a task that was alone for hours the product needs more than 64 bits. */
	*share = mul_u64_u64_div_u64(ran, EQUANT_SHARE_ONE, runnable);
	return true;
}

#endif /* EQUANT_KMOD_WINDOW_H */
