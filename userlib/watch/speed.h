/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * A rank tells its speed to who may look into it.
 *
 * The kernel knows how long a task computes and not how much work that is; only the rank
 * knows.  It writes its last estimate into a memory file without a path.  Who may trace
 * the process finds that below /proc/PID/fd, and it is gone with the process however that
 * ends.
 */
#ifndef EQUANT_WATCH_SPEED_H
#define EQUANT_WATCH_SPEED_H

struct equant_note;

/**
 * struct equant_told - the file, and where it is in memory
 * @note: NULL = not yet
 * @refused: it could not be made; what cannot be told is not told
 */
struct equant_told {
	struct equant_note *note;
	int fd;
	int refused;
};

/**
 * equant_speed_tell() - the thread computes @speed units per on-CPU second
 * @told: zeroed before the first call, whose thread counts for all
 *
 * No system call but in the first one.
 */
void equant_speed_tell(struct equant_told *told, double speed);

/** equant_speed_end() - remove the file; @told may never have been used */
void equant_speed_end(struct equant_told *told);

#endif /* EQUANT_WATCH_SPEED_H */
