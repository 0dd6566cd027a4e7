// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * One attached task, from its record.
 */
#include "probe/reader.h"
#include "watch/watch_internal.h"

void equant_watch_fill(struct equant_watch_task *task, const struct equant_table *table,
		       const struct equant_record *r, uint32_t index, uint64_t now)
{
	*task = (struct equant_watch_task){
		.record = index,
		.state = r->state,
		.tid = r->tid,
		.tgid = r->tgid,
		.ns_inode = r->ns_inode,
		.slice_ns = r->slice_ns,
		.t_attach_ns = r->t_attach,
		.sleep_ns = r->sleep_ns,
		.status.now.t_ns = now,
	};
	if (r->state == EQUANT_STATE_SLEEP)
		task->sleep_ns += equant_since(now, r->t_state);
	equant_reader_describe(table, r, false, &task->status);
}
