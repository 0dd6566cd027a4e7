/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Was a signal sent to this process alone, or to its whole process group, so that a child has it
 * already?  A witness is a member of the group that no signal ends, and that keeps what it gets.
 */
#ifndef EQUANT_TOOL_WITNESS_H
#define EQUANT_TOOL_WITNESS_H

#include <stdbool.h>
#include <sys/types.h>

/** witness_start() - it ends with this process at the latest; -1 = there is none, and it has seen nothing */
pid_t witness_start(void);

/** witness_saw() - has it got @sig, which this process got just now? */
bool witness_saw(pid_t witness, int sig);

void witness_stop(pid_t witness);

#endif /* EQUANT_TOOL_WITNESS_H */
