// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Schedules to files: as read_schedule.c reads them, with numbers that read back as they were.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "dag_internal.h"
#include "text/number.h"
#include "text/text.h"

static void write_times(FILE *out, double start, double finish)
{
	char from[40], to[40];

	equant_number_write(from, sizeof(from), 17, start);
	equant_number_write(to, sizeof(to), 17, finish);
	fprintf(out, "\"start\": %s, \"finish\": %s }", from, to);
}

static void write_all(FILE *out, const struct equant_dag_schedule *schedule)
{
	fprintf(out, "{ \"scheduler\": \"%s\",\n  \"tasks\": [", schedule->scheduler);
	for (int s = 0; s < schedule->slots; s++) {
		const struct equant_dag_slot *slot = &schedule->slot[s];

		fprintf(out, "%s\n    { \"task\": %d, \"processor\": %d, ", s ? "," : "",
			slot->task, slot->processor);
		write_times(out, slot->start, slot->finish);
	}
	fprintf(out, " ],\n  \"messages\": [");
	for (int m = 0; m < schedule->messages; m++) {
		const struct equant_dag_message *message = &schedule->message[m];

		fprintf(out, "%s\n    { \"edge\": %d, \"from\": %d, \"to\": %d, ", m ? "," : "",
			message->edge, message->from, message->to);
		write_times(out, message->start, message->finish);
	}
	fprintf(out, " ] }\n");
}

int equant_dag_schedule_write(const struct equant_dag_schedule *schedule, const char *path,
			      char *why, size_t why_size)
{
	FILE *out = fopen(path, "we");
	int err = out ? 0 : -errno;

	if (out) {
		write_all(out, schedule);
		err = equant_text_close(out);
	}
	if (err)
		equant_say(why, why_size, "%s: %s", path, strerror(-err));
	return err;
}
