// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A CPU shared in turns: in each round a rank runs for a quantum, then others
 * do, for ever.  It has the CPU in
 *
 *	[n length - phase, n length - phase + quantum),  n = 0, 1, ...
 *
 * whether it works or waits: who polls never gives a turn away.  With a barrier
 * after every computation phase
 *
 *	B_0 = 0,  B_s+1 = max over i of finish_i(B_s, w_i)
 *
 * where finish_i(t, w) is when rank i, from time t on, has been on its CPU for
 * w.  A rank whose turn it is not when the barrier opens leaves it at the begin
 * of its next turn; one that is early waits on its CPU, and that is what is lost.
 *
 * Reference: Siegell 1995, section 3.3.7: "the operating system allocates equal
 * portions of the CPU time to all running processes in a round-robin fashion
 * with a fixed time quantum"; section 3.4.2, figures 3.12 to 3.14.
 */
#include "balance/round.h"

/* @since the begin of a round, any number of rounds ago. */
static int64_t active_since_turn(const struct equant_round *round, int64_t since)
{
	int64_t rest = since % round->length;

	return since / round->length * round->quantum +
	       (rest < round->quantum ? rest : round->quantum);
}

int64_t equant_round_active(const struct equant_round *round, int64_t time)
{
	return active_since_turn(round, round->phase + time) -
	       active_since_turn(round, round->phase);
}

int64_t equant_round_finish(const struct equant_round *round, int64_t time, int64_t work)
{
	int64_t quantum = round->quantum, length = round->length;
	int64_t since = round->phase + time, active;

	if (!work)
		return since % length <= quantum ? time : time + length - since % length;
	active = active_since_turn(round, since) + work;
	return (active - 1) / quantum * length + (active - 1) % quantum + 1 - round->phase;
}

int64_t equant_barrier_time(const struct equant_round *rounds, const int64_t *work, int n,
			    long synchronizations)
{
	int64_t time = 0;

	for (long s = 0; s < synchronizations; s++) {
		int64_t last = time;

		for (int i = 0; i < n; i++) {
			int64_t finish = equant_round_finish(&rounds[i], time, work[i]);

			if (finish > last)
				last = finish;
		}
		time = last;
	}
	return time;
}
