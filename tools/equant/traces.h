/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_TOOL_TRACES_H
#define EQUANT_TOOL_TRACES_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* Which directory it is, whatever has its name later. */
struct directory_id {
	dev_t device;
	ino_t inode;
};

/**
 * struct traces - a directory for the traces of one job
 * @temporary: it is removed with its files by traces_remove()
 * @id: of the directory then
 */
struct traces {
	bool temporary;
	struct directory_id id;
	char directory[PATH_MAX];
};

/** traces_make() - a temporary directory; 0 or -errno, after a message */
int traces_make(struct traces *traces);
void traces_remove(struct traces *traces);

/**
 * traces_draw() - a bar per rank over time, for each loop; with its name, if there are several
 * @out: stream
 * @directory: of the traces
 * @since: older ones are of other jobs, and not drawn; seconds of CLOCK_REALTIME, as run_result.since
 * @width: columns; 0 = those of the terminal
 *
 * Return: 0 or -errno, after a message.
 */
int traces_draw(FILE *out, const char *directory, double since, int width);

/**
 * traces_list() - the traces in a directory, all of one loop
 * @directory: holds some
 * @paths: receives their paths, and NULL behind; of traces_free_list()
 *
 * Return: their number, or -errno after a message.
 */
int traces_list(const char *directory, char ***paths);
void traces_free_list(char **paths);

/** directory_make() - @path becomes TMPDIR/equant-NAME-XXXXXX; 0 or -errno, after a message */
int directory_make(char path[PATH_MAX], const char *name, struct directory_id *id);

/** directory_make_below() - ... @parent/equant-NAME-XXXXXX; 0 or -errno, without a message */
int directory_make_below(const char *parent, char path[PATH_MAX], const char *name);

/**
 * directory_remove() - the files in it, and itself; other directories in it stay
 *
 * Nothing is removed if @path has become another one: who may write to its parent may have put it there.
 */
void directory_remove(const char *path, const struct directory_id *id);

#endif /* EQUANT_TOOL_TRACES_H */
