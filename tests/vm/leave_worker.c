// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * End the guest with an exit status: leave_worker STATUS
 *
 * The emulator's isa-debug-exit device makes 2 * STATUS + 1 of it, so that 0 is
 * what a guest has that ended in any other way.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/io.h>
#include <unistd.h>

#define PORT 0xf4

/* Debian's kernels have no such device; the smaller ones of debug.config have no ioperm(). */
static void write_to_device(unsigned char byte)
{
	int fd = open("/dev/port", O_WRONLY);

	if (fd >= 0 && pwrite(fd, &byte, 1, PORT) != 1)
		perror("leave: /dev/port");
}

int main(int argc, char **argv)
{
	unsigned char byte = argc > 1 ? (unsigned char)atoi(argv[1]) : 0;

	sync();
	write_to_device(byte);
	if (ioperm(PORT, 1, 1)) {
		perror("leave: ioperm");
		return 1;
	}
	outb(byte, PORT);
	for (;;)
		pause();
}
