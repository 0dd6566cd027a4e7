// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * End the guest with an exit status: leave_worker STATUS
 *
 * The emulator's isa-debug-exit device makes 2 * BYTE + 1 of what is written to it, so that it ends
 * with 0 where a guest has ended in any other way.  It ends with 1 by itself, too, when it cannot begin:
 * what is written is STATUS + 1; above MOST_STATUS they are what boot.sh says itself.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/io.h>
#include <unistd.h>

#define PORT 0xf4
#define MOST_STATUS 123

/* Debian's kernels have no such device; the smaller ones of debug.config have no ioperm(). */
static void write_to_device(unsigned char byte)
{
	int fd = open("/dev/port", O_WRONLY);

	if (fd >= 0 && pwrite(fd, &byte, 1, PORT) != 1)
		perror("leave: /dev/port");
}

int main(int argc, char **argv)
{
	int status = argc > 1 ? atoi(argv[1]) : 0;
	unsigned char byte = (unsigned char)(status > MOST_STATUS ? MOST_STATUS + 1 : status + 1);

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
