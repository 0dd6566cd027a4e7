// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libloop.h"

const char *runs_fault(const struct equant_runs *runs)
{
	long total = 0;

	for (int i = 0; i < runs->n; i++) {
		const struct equant_range *r = &runs->ranges[i];

		if (r->count < 1)
			return "an empty range";
		if (i && r->first <= r[-1].first)
			return "ranges out of order";
		if (i && r->first <= r[-1].first + r[-1].count)
			return "ranges that touch or overlap";
		total += r->count;
	}
	return total == runs->total ? NULL : "a wrong total";
}

int messages_begin(struct messages *messages)
{
	messages->fd = memfd_create("messages", MFD_CLOEXEC);
	messages->saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	if (messages->fd < 0 || messages->saved < 0)
		return -1;
	return dup2(messages->fd, STDERR_FILENO) < 0 ? -1 : 0;
}

const char *messages_end(struct messages *messages)
{
	ssize_t n = pread(messages->fd, messages->text, sizeof(messages->text) - 1, 0);

	messages->text[n > 0 ? n : 0] = '\0';
	dup2(messages->saved, STDERR_FILENO);
	close(messages->saved);
	close(messages->fd);
	return messages->text;
}
