// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What share of its CPU this rank has, for the plan.  It is looked at within tasks only, as a rank
 * that waits for messages has another.  Where the probe predicts it that counts, else what was
 * measured over some turns of the scheduler.
 *
 * A share that has changed is worth a new plan once it has stayed so for a part of the run: a
 * competitor that leaves again costs no more than what it takes itself.  By then it has been
 * measured, too, and that is what the plan goes by: a prediction that was wrong is none.
 */
#include <math.h>
#include <time.h>

#include <equant/abi.h>

#include "core/clock.h"
#include "core/team.h"
#include "engine/dag_replan.h"
#include "loop/loop_internal.h"

#define LOOK_NS 4000000u /* a turn of the scheduler */
#define MEASURE_NS 40000000u /* ten of them */
#define CHANGE 1.2 /* what a plan does not notice is smaller */
#define SMALLEST 0.01 /* share, for a rank that seems to have none */

void equant_dag_watch_start(struct equant_dag_run *run)
{
	struct equant_dag_watch *watch = &run->replan->watch;

	*watch = (struct equant_dag_watch){ .share = 1, .planned = 1 };
}

void equant_dag_watch_begin(struct equant_dag_run *run)
{
	struct equant_dag_watch *watch = &run->replan->watch;

	equant_team_read(run->eq, &watch->before);
	watch->task_ns = 0;
}

/* Seconds of a whole CPU for what the plan calls a unit of time; 0: no task has ended here yet. */
static double unit_of(const struct equant_dag_watch *watch)
{
	return watch->units > 0 ? 1e-9 * (double)watch->units_ns / watch->units : 0;
}

/* Since the last look, all of it within a task. */
static void count(struct equant_dag_run *run)
{
	struct equant_dag_watch *watch = &run->replan->watch;
	struct equant_counters now;
	uint64_t ran, waited;

	equant_team_read(run->eq, &now);
	ran = equant_since(now.run_ns, watch->before.run_ns);
	waited = equant_since(now.wait_ns, watch->before.wait_ns);
	watch->before = now;
	watch->task_ns += ran;
	watch->ran_ns += ran;
	watch->waited_ns += waited;
	watch->changed_ran_ns += ran;
	watch->changed_waited_ns += waited;
}

static bool has_changed(double share, double from)
{
	return share * CHANGE <= from || share >= from * CHANGE;
}

static void wait_for_change(struct equant_dag_watch *watch, uint64_t changed_ns)
{
	watch->changed_ns = changed_ns;
	watch->changed_ran_ns = watch->changed_waited_ns = 0;
}

/* It has stayed changed for long enough; what was measured meanwhile? */
static void believe(struct equant_dag_watch *watch, double share)
{
	uint64_t wanted = watch->changed_ran_ns + watch->changed_waited_ns;

	if (wanted >= MEASURE_NS)
		share = (double)watch->changed_ran_ns / (double)wanted;
	if (has_changed(share, watch->planned)) {
		watch->share = share > SMALLEST ? share : SMALLEST;
		watch->wishes = true;
	} else {
		wait_for_change(watch, 0);
	}
}

static void judge(struct equant_dag_run *run, double share, uint64_t now)
{
	struct equant_dag_watch *watch = &run->replan->watch;
	double unit = unit_of(watch);

	if (watch->wishes)
		return;
	if (!has_changed(share, watch->planned))
		wait_for_change(watch, 0);
	else if (!watch->changed_ns)
		wait_for_change(watch, now);
	else if (unit > 0 && 1e-9 * (double)(now - watch->changed_ns) >= unit * run->replan->hold)
		believe(watch, share);
}

static void look(struct equant_dag_run *run, uint64_t now)
{
	struct equant_dag_watch *watch = &run->replan->watch;
	uint64_t wanted = watch->ran_ns + watch->waited_ns;
	struct equant_status status;
	unsigned int features = equant_team_status(run->eq, &status);

	if (features & EQUANT_PROBE_PREDICTS && !(status.flags & EQUANT_F_NO_PREDICTION)) {
		judge(run, status.share, now);
	} else if (features & EQUANT_PROBE_WAIT && wanted >= MEASURE_NS) {
		judge(run, (double)watch->ran_ns / (double)wanted, now);
		watch->ran_ns = watch->waited_ns = 0;
	}
}

void equant_dag_watch_look(struct equant_dag_run *run)
{
	struct equant_dag_watch *watch = &run->replan->watch;
	uint64_t now = equant_clock_ns(CLOCK_MONOTONIC_COARSE);

	if (now - watch->looked_ns < LOOK_NS)
		return;
	watch->looked_ns = now;
	count(run);
	look(run, now);
}

void equant_dag_watch_end(struct equant_dag_run *run, int task)
{
	struct equant_dag_watch *watch = &run->replan->watch;

	count(run);
	watch->units_ns += watch->task_ns;
	watch->units += dag_cost(run->dag, run->machine, task, run->eq->rank);
	equant_dag_watch_look(run);
}

double equant_dag_watch_left(const struct equant_dag_run *run, int task, double share)
{
	const struct equant_dag_watch *watch = &run->replan->watch;
	double cost = dag_cost(run->dag, run->machine, task, run->eq->rank);
	double unit = unit_of(watch), done = 0;

	if (unit > 0)
		done = fmin(1e-9 * (double)watch->task_ns / unit, cost);
	return (cost - done) / share;
}

void equant_dag_watch_planned(struct equant_dag_run *run, double share)
{
	struct equant_dag_watch *watch = &run->replan->watch;

	watch->planned = share;
	watch->changed_ns = 0;
	watch->wishes = false;
}
