// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Keep the scheduler's tracepoints in use: hold_worker &
 *
 * Who is first, second or last at a tracepoint changes the kernel's code while it
 * runs.  QEMU 7.2 may let an emulated CPU take the breakpoint that guards such a
 * change after it has gone ("Oops: int3"), which no real one does.  With two there
 * all the time, others come and go by changing a list.
 */
#include <stdio.h>
#include <unistd.h>

#include "hold.skel.h"

static int hold(void)
{
	struct hold_bpf *programs = hold_bpf__open_and_load();

	return programs ? hold_bpf__attach(programs) : -1;
}

int main(void)
{
	if (hold() || hold()) {
		fprintf(stderr, "hold: the tracepoints cannot be held\n");
		return 1;
	}
	puts("held");
	fflush(stdout);
	for (;;)
		pause();
}
