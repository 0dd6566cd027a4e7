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

/**
 * equant_speed_tell() - the calling thread computes @speed units per on-CPU second
 * @fd: of the file, -1 before the first call and after one that could not make it; the
 *	caller closes it
 *
 * What cannot be told is not told.
 */
void equant_speed_tell(int *fd, double speed);

#endif /* EQUANT_WATCH_SPEED_H */
