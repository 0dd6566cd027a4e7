// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * End the guest with an exit status: leave_worker STATUS
 *
 * The emulator's isa-debug-exit device makes 2 * STATUS + 1 of it, so that 0 is
 * what a guest has that ended in any other way.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/io.h>
#include <unistd.h>

#define PORT 0xf4

int main(int argc, char **argv)
{
	sync();
	if (ioperm(PORT, 1, 1)) {
		perror("leave: ioperm");
		return 1;
	}
	outb(argc > 1 ? (unsigned char)atoi(argv[1]) : 0, PORT);
	for (;;)
		pause();
}
