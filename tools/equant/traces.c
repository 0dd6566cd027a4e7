// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Directories of traces and reports, and what a directory of traces shows.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plain.h"
#include "rank_trace.h"
#include "traces.h"

int directory_make_below(const char *parent, char path[PATH_MAX], const char *name)
{
	if (snprintf(path, PATH_MAX, "%s/equant-%s-XXXXXX", parent, name) >= PATH_MAX)
		return -ENAMETOOLONG;
	return mkdtemp(path) ? 0 : -errno;
}

static int open_directory(const char *path, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && !fstat(fd, st))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static void identify(const char *path, struct directory_id *id)
{
	struct stat st = { 0 };
	int fd = open_directory(path, &st);

	*id = (struct directory_id){ 0 };
	if (fd < 0)
		return;
	*id = (struct directory_id){ st.st_dev, st.st_ino };
	close(fd);
}

int directory_make(char path[PATH_MAX], const char *name, struct directory_id *id)
{
	const char *given = getenv("TMPDIR");
	char parent[PATH_MAX];
	int ret;

	if (!realpath(given && *given ? given : "/tmp", parent))
		snprintf(parent, sizeof(parent), "/tmp");
	ret = directory_make_below(parent, path, name);
	if (ret)
		fprintf(stderr, "equant: %s: %s\n", path, strerror(-ret));
	else
		identify(path, id);
	return ret;
}

void directory_remove(const char *path, const struct directory_id *id)
{
	struct dirent64 entries[16], *entry;
	struct stat st = { 0 };
	int fd = open_directory(path, &st);
	ssize_t got;

	if (fd >= 0 && (st.st_dev != id->device || st.st_ino != id->inode)) {
		fprintf(stderr, "equant: %s: not removed: it has become another directory\n", path);
		close(fd);
		return;
	}
	/* Not by opendir(): there may be no memory left. */
	while (fd >= 0 && (got = getdents64(fd, entries, sizeof(entries))) > 0)
		for (ssize_t at = 0; at < got; at += entry->d_reclen) {
			entry = (struct dirent64 *)((char *)entries + at);
			if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
				unlinkat(fd, entry->d_name, 0);
		}
	if (fd >= 0)
		close(fd);
	rmdir(path);
}

int traces_make(struct traces *traces)
{
	int ret = directory_make(traces->directory, "trace", &traces->id);

	traces->temporary = !ret;
	return ret;
}

void traces_remove(struct traces *traces)
{
	if (traces->temporary)
		directory_remove(traces->directory, &traces->id);
	traces->temporary = false;
}

static int is_trace(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && !strcmp(dot, ".trace");
}

/* LOOP.RANK.trace: the length of LOOP */
static size_t loop_length(const char *name)
{
	size_t length = strlen(name) - strlen(".trace");

	while (length > 0 && name[length - 1] != '.')
		length--;
	return length;
}

static bool same_loop(const char *a, const char *b)
{
	size_t length = loop_length(a);

	return length == loop_length(b) && !strncmp(a, b, length);
}

/*
 * By loop, and then by rank: of "solve.0", "solve.1" and a loop "solve.1", whose ranks are
 * "solve.1.0" and "solve.1.1", versions alone would put the latter between.
 */
static int by_loop(const struct dirent **a, const struct dirent **b)
{
	char x[NAME_MAX + 1], y[NAME_MAX + 1];
	int order;

	snprintf(x, sizeof(x), "%.*s", (int)loop_length((*a)->d_name), (*a)->d_name);
	snprintf(y, sizeof(y), "%.*s", (int)loop_length((*b)->d_name), (*b)->d_name);
	order = strverscmp(x, y);
	return order ? order : versionsort(a, b);
}

/* The name is the files', as loops of the same name have numbers there. */
static void draw_title(FILE *out, const char *name)
{
	char loop[NAME_MAX + 1], plain[PLAIN_SIZE(sizeof(loop))];
	int length = (int)loop_length(name) - 1;

	snprintf(loop, sizeof(loop), "%.*s", length > 0 ? length : 0, name);
	fprintf(out, "loop %s:\n", plain_text(plain, sizeof(plain), loop));
}

static int draw_loop(FILE *out, const char *title, char **paths, int count, int width)
{
	struct rank_traces set;
	int ret = rank_traces_load(&set, paths, count);

	if (ret)
		return ret;
	if (title)
		draw_title(out, title);
	ret = rank_traces_draw(out, &set, width);
	rank_traces_release(&set);
	return ret;
}

/* Was it written at that time or later? */
static bool file_is_since(const char *path, double since)
{
	struct stat st;

	return !stat(path, &st) && st.st_mtim.tv_sec + st.st_mtim.tv_nsec / 1e9 >= since;
}

/* The paths of those that are drawn, and their entries to the front in the same order. */
static int choose(char **paths, const char *directory, double since, struct dirent **entries,
		  int count)
{
	struct dirent *entry;
	int chosen = 0;

	for (int i = 0; i < count; i++) {
		if (asprintf(&paths[chosen], "%s/%s", directory, entries[i]->d_name) < 0) {
			paths[chosen] = NULL;
			return -ENOMEM;
		}
		if (!file_is_since(paths[chosen], since)) {
			free(paths[chosen]);
			paths[chosen] = NULL;
			continue;
		}
		entry = entries[chosen];
		entries[chosen++] = entries[i];
		entries[i] = entry;
	}
	return chosen;
}

static int draw_all(FILE *out, const char *directory, double since, struct dirent **entries,
		    int count, int width)
{
	char **paths = calloc(count + 1, sizeof(*paths));
	int ret = paths ? choose(paths, directory, since, entries, count) : -ENOMEM;

	if (ret < 0)
		fprintf(stderr, "equant: %s: %s\n", directory, strerror(-ret));
	if (!ret)
		fprintf(stderr, "equant: %s: no trace of this job, so no time line\n", directory);
	count = ret < 0 ? count : ret;
	ret = ret < 0 ? ret : 0;
	for (int first = 0, end; first < count && !ret; first = end) {
		end = first + 1;
		while (end < count && same_loop(entries[first]->d_name, entries[end]->d_name))
			end++;
		ret = draw_loop(out, end - first < count ? entries[first]->d_name : NULL,
				paths + first, end - first, width);
	}
	for (int i = 0; paths && i < count; i++)
		free(paths[i]);
	free(paths);
	return ret;
}

static int complain(const char *directory, int error)
{
	fprintf(stderr, "equant: %s: %s\n", directory, strerror(error));
	return -error;
}

/* Their number, or -errno after a message. */
static int read_directory(const char *directory, struct dirent ***entries)
{
	int count = scandir(directory, entries, is_trace, by_loop);

	return count < 0 ? complain(directory, errno) : count;
}

static void free_entries(struct dirent **entries, int count)
{
	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
}

int traces_draw(FILE *out, const char *directory, double since, int width)
{
	struct dirent **entries;
	int count = read_directory(directory, &entries), ret;

	if (count < 0)
		return count;
	ret = draw_all(out, directory, since, entries, count, width);
	free_entries(entries, count);
	return ret;
}

/* In the order by_loop(): the first and the last are of one loop, if all are. */
static bool are_of_one_loop(const char *directory, struct dirent **entries, int count)
{
	const char *first = count ? entries[0]->d_name : "", *last;

	if (!count) {
		fprintf(stderr, "equant: %s: no trace in this directory\n", directory);
		return false;
	}
	last = entries[count - 1]->d_name;
	if (same_loop(first, last))
		return true;
	fprintf(stderr,
		"equant: %s: traces of several loops, of which only one can be reported; such as %s/%.*s*.trace\n",
		directory, directory, (int)loop_length(first), first);
	return false;
}

int traces_list(const char *directory, char ***paths)
{
	struct dirent **entries;
	int count = read_directory(directory, &entries), ret = -EINVAL;

	*paths = NULL;
	if (count < 0)
		return count;
	if (are_of_one_loop(directory, entries, count)) {
		*paths = calloc(count + 1, sizeof(**paths));
		ret = *paths ? choose(*paths, directory, -INFINITY, entries, count) : -ENOMEM;
		if (ret >= 0 && ret < count) /* links to nothing */
			ret = -ENOENT;
		if (ret < 0) {
			complain(directory, -ret);
			traces_free_list(*paths);
		}
	}
	free_entries(entries, count);
	return ret;
}

void traces_free_list(char **paths)
{
	for (int i = 0; paths && paths[i]; i++)
		free(paths[i]);
	free(paths);
}
