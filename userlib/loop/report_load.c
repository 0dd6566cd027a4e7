// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Reading a report back: apart from writing it, so that a tool needs no MPI library for it. */
#include <equant/report.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_RANKS 16777216

static int refuse(char *why, size_t why_size, const char *path, const char *text)
{
	if (why)
		snprintf(why, why_size, "%s: %s", path, text);
	return -EINVAL;
}

static int check_header(const struct equant_report_header *h, const char *path, char *why,
			size_t why_size)
{
	if (h->magic != EQUANT_REPORT_MAGIC)
		return refuse(why, why_size, path, "not a report");
	if (h->header_size != sizeof(*h) || h->stats_size != sizeof(struct equant_stats))
		return refuse(why, why_size, path, "written by another version");
	if (h->ranks < 1 || h->ranks > MAX_RANKS || memchr(h->loop, 0, sizeof(h->loop)) == NULL)
		return refuse(why, why_size, path, "damaged header");
	return 0;
}

static bool are_terminated(const struct equant_stats *stats, int ranks)
{
	for (int i = 0; i < ranks; i++)
		if (!memchr(stats[i].probe, 0, sizeof(stats[i].probe)))
			return false;
	return true;
}

/* Without waiting for who might write into a pipe. */
static int open_file(const char *path, FILE **file)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), ret = 0;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		ret = -errno;
	else if (!S_ISREG(st.st_mode))
		ret = -EINVAL;
	*file = ret ? NULL : fdopen(fd, "rb");
	if (*file)
		return 0;
	ret = ret ?: -errno;
	close(fd);
	return ret;
}

int equant_report_load(const char *path, struct equant_report_header *header,
		       struct equant_stats **stats, char *why, size_t why_size)
{
	FILE *file;
	int error;

	*stats = NULL;
	error = open_file(path, &file);
	if (error) {
		refuse(why, why_size, path,
		       error == -EINVAL ? "not a regular file" : strerror(-error));
		return error;
	}
	error = -EINVAL;
	if (fread(header, sizeof(*header), 1, file) != 1) {
		refuse(why, why_size, path, "shorter than its header");
		goto out;
	}
	if (check_header(header, path, why, why_size))
		goto out;
	*stats = calloc((size_t)header->ranks, sizeof(**stats));
	if (!*stats) {
		error = -ENOMEM;
		refuse(why, why_size, path, strerror(ENOMEM));
		goto out;
	}
	error = 0;
	if (fread(*stats, sizeof(**stats), (size_t)header->ranks, file) != (size_t)header->ranks)
		error = refuse(why, why_size, path, "shorter than its ranks");
	else if (!are_terminated(*stats, header->ranks))
		error = refuse(why, why_size, path, "the name of a probe is not terminated");
	if (error) {
		free(*stats);
		*stats = NULL;
	}
out:
	fclose(file);
	return error;
}
