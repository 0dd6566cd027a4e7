// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* What a loop writes into its trace. */
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "loop/loop_internal.h"

static struct equant_event *new_event(struct equant_loop *loop, enum equant_event_type type)
{
	struct equant_event *e = equant_trace_event(loop->trace);

	memset(e, 0, sizeof(*e));
	e->t_ns = equant_now_ns();
	e->type = type;
	e->phase = (uint32_t)loop->phases;
	return e;
}

void equant_record_status(struct equant_loop *loop, const struct equant_status *status)
{
	struct equant_event *e;

	if (!loop->trace)
		return;
	e = new_event(loop, EQUANT_EVENT_STATUS);
	e->u.status.run_ns = status->now.run_ns;
	e->u.status.wait_ns = status->now.wait_ns;
	e->u.status.quantum_ns = status->quantum_ns;
	e->u.status.t_epoch_ns = status->t_epoch_ns;
	e->u.status.switches = status->switches;
	e->u.status.contended_ns = status->contended_ns;
	e->u.status.share = status->share;
	e->u.status.settled = status->settled;
	e->u.status.flags = status->flags;
	e->u.status.epoch = status->epoch;
	e->u.status.runnable = status->runnable;
	e->u.status.episodes = status->episodes;
	e->u.status.long_episodes = status->long_episodes;
	e->u.status.long_ns = status->long_ns;
	e->u.status.changes = status->changes;
	e->u.status.cpu = status->cpu;
	e->u.status.features = equant_probe_features(loop->eq->probe);
}

void equant_record_sample(struct equant_loop *loop, const struct equant_sample *sample)
{
	struct equant_event *e;

	if (!loop->trace)
		return;
	e = new_event(loop, EQUANT_EVENT_SAMPLE);
	memcpy(&e->u.sample, sample, sizeof(*sample));
}

void equant_record_rest(struct equant_loop *loop)
{
	const struct equant_window *rest = &loop->untold, *w = &loop->window;
	struct equant_sample sample = { .flags = EQUANT_SAMPLE_CLOSED };

	if (!loop->trace || loop->leader || !loop->first.t_ns || (loop->pass && loop->pass->async))
		return;
	sample.units = rest->units + w->units;
	sample.wall = 1e-9 * (double)(rest->wall_ns + w->wall_ns);
	sample.run = 1e-9 * (double)(rest->run_ns + w->run_ns);
	sample.wait = 1e-9 * (double)(rest->wait_ns + w->wait_ns);
	if (w->start_ns && loop->last_ns > w->start_ns)
		sample.interval = 1e-9 * (double)(loop->last_ns - w->start_ns);
	if (equant_probe_features(loop->eq->probe) & EQUANT_PROBE_RUN)
		sample.flags |= EQUANT_SAMPLE_RUN;
	if (loop->error)
		sample.flags |= EQUANT_SAMPLE_ERROR;
	equant_record_sample(loop, &sample);
}

uint64_t equant_owners_digest(const struct equant_units *u)
{
	uint64_t digest = 0;
	int r, i;

	for (r = 0; r < u->ranks; r++) {
		digest = equant_mix(digest + (uint64_t)u->owned[r].total);
		for (i = 0; i < u->owned[r].n; i++) {
			digest = equant_mix(digest ^ (uint64_t)u->owned[r].ranges[i].first);
			digest = equant_mix(digest ^ (uint64_t)u->owned[r].ranges[i].count);
		}
	}
	return digest ? digest : 1;
}

static void record_instructions(struct equant_loop *loop, const struct equant_decision *decision)
{
	struct equant_event *e;
	int i, j, n;

	for (i = 0; i < decision->count; i += n) {
		n = decision->count - i;
		if (n > EQUANT_EVENT_LIST)
			n = EQUANT_EVENT_LIST;
		e = new_event(loop, EQUANT_EVENT_INSTRUCTIONS);
		e->u.instructions.first = (uint32_t)i;
		e->u.instructions.count = (uint32_t)n;
		for (j = 0; j < n; j++) {
			e->u.instructions.list[j].from = decision->instructions[i + j].from;
			e->u.instructions.list[j].to = decision->instructions[i + j].to;
			e->u.instructions.list[j].units = decision->instructions[i + j].units;
		}
	}
}

static void fill_decision(const struct equant_loop *loop, const struct equant_order *order,
			  struct equant_event *e)
{
	const struct equant_decision *decision = &order->decision;
	const struct equant_estimate *estimate = &order->estimates[loop->rank];

	e->u.decision.verdict = decision->verdict;
	e->u.decision.instructions = decision->count;
	e->u.decision.next_hook = decision->next_hook;
	e->u.decision.reduction = decision->reduction;
	e->u.decision.cost = decision->cost;
	e->u.decision.benefit = decision->benefit;
	e->u.decision.quantum = decision->quantum;
	e->u.decision.period = decision->period;
	e->u.decision.rate = estimate->rate;
	e->u.decision.speed = estimate->speed;
	e->u.decision.share = estimate->share;
}

void equant_record_decision(struct equant_loop *loop, const struct equant_order *order)
{
	struct equant_event made = { 0 }, *e;

	if (!loop->trace)
		return;
	if (loop->replay && equant_replay_recorded(loop, &made) < 0)
		return;
	if (!made.type)
		fill_decision(loop, order, &made);
	record_instructions(loop, &order->decision);
	e = new_event(loop, EQUANT_EVENT_DECISION);
	e->u.decision = made.u.decision;
	e->u.decision.units = loop->units.counts[loop->rank];
	e->u.decision.owners = order->decision.count ? equant_owners_digest(&loop->units) : 0;
}

void equant_record_plan(struct equant_loop *loop)
{
	struct equant_event *e;

	if (!loop->trace)
		return;
	e = new_event(loop, EQUANT_EVENT_PLAN);
	e->u.plan.due = loop->pass->due;
	e->u.plan.quota = loop->pass->progress.quota[loop->rank];
}

void equant_record_sweep(struct equant_loop *loop)
{
	struct equant_event *e;

	if (!loop->trace)
		return;
	e = new_event(loop, EQUANT_EVENT_SWEEP);
	e->u.sweep.number = loop->pipeline->sweeps;
	e->u.sweep.block = loop->pipeline->strips ? loop->pipeline->block : 1;
}

/* Only what is new. */
void equant_record_tile(struct equant_loop *loop, const struct equant_tile *tile, long left)
{
	long iterations = tile->iterations < left ? tile->iterations : 0;
	long length = tile->length < left ? tile->length : 0;
	struct equant_pipeline *p = loop->pipeline;
	struct equant_event *e;

	if (!loop->trace || (p->recorded.length == length && p->recorded.iterations == iterations))
		return;
	p->recorded = (struct equant_tile){ .length = length, .iterations = iterations };
	e = new_event(loop, EQUANT_EVENT_TILES);
	e->u.tiles.number = p->parts;
	e->u.tiles.length = length;
	e->u.tiles.iterations = iterations;
}

void equant_record_transfer(struct equant_loop *loop, const struct equant_notice *notice)
{
	int ranges = (int)notice->nr_ranges;

	for (int i = 0, n; loop->trace && i < ranges; i += n) {
		struct equant_event *e = new_event(loop, EQUANT_EVENT_TRANSFER);

		n = ranges - i;
		n = n < EQUANT_EVENT_RANGES ? n : EQUANT_EVENT_RANGES;
		e->u.transfer.number = notice->number;
		e->u.transfer.pass = loop->pass->number;
		e->u.transfer.computed = loop->pass->async->computed;
		e->u.transfer.peer = notice->peer;
		e->u.transfer.incoming = notice->kind == EQUANT_NOTICE_TAKE;
		e->u.transfer.first = (uint32_t)i;
		e->u.transfer.count = (uint32_t)n;
		for (int j = 0; j < n; j++) {
			e->u.transfer.list[j].first = notice->ranges[i + j].first;
			e->u.transfer.list[j].count = notice->ranges[i + j].count;
		}
	}
}

void equant_record_units(struct equant_loop *loop)
{
	if (loop->trace)
		new_event(loop, EQUANT_EVENT_UNITS)->u.units.owned = loop->units.counts[loop->rank];
}

void equant_record_moves(struct equant_loop *loop, uint64_t duration_ns)
{
	const struct equant_mover *m = &loop->mover;
	struct equant_event *e;
	int i;

	for (i = 0; loop->trace && i < m->nr_transfers; i++) {
		const struct equant_transfer *t = &m->transfers[i];

		e = new_event(loop, EQUANT_EVENT_MOVE);
		e->u.move.from = t->incoming ? t->peer : loop->rank;
		e->u.move.to = t->incoming ? loop->rank : t->peer;
		e->u.move.units = t->units.total;
		e->u.move.duration_ns = duration_ns;
		e->u.move.bytes = equant_mover_bytes(m, t);
	}
	if (m->nr_transfers)
		equant_record_units(loop);
}

void equant_record_fallback(struct equant_loop *loop, const char *text)
{
	struct equant_event *e;

	if (!loop->trace)
		return;
	e = new_event(loop, EQUANT_EVENT_FALLBACK);
	snprintf(e->u.fallback.text, sizeof(e->u.fallback.text), "%s", text);
}
