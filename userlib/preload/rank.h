/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The rank that this process is, and the thread of it whose time is told apart: a library that is loaded
 * before a program has nobody who could hold a handle for it.
 */
#ifndef EQUANT_PRELOAD_RANK_H
#define EQUANT_PRELOAD_RANK_H

#include <equant/profile.h>

/** equant_rank_begin() - MPI may have been initialised by the calling thread, in @caller: if so, begin */
void equant_rank_begin(void *caller);

/** equant_rank_abort() - before MPI_Abort(), from which nobody returns */
void equant_rank_abort(void);

/** equant_rank_last() - MPI_Finalize() begins, in which ranks wait for each other, too */
void equant_rank_last(void);

/** equant_rank_end() - and has ended */
void equant_rank_end(void);

/** struct equant_call - the name of one, with room behind it */
struct equant_call {
	char name[EQUANT_PROFILE_CALL];
};

/** equant_rank_enter() - a call of MPI begins, in any thread */
void equant_rank_enter(const struct equant_call *call);

/** equant_rank_leave() - and ends; hands on what it returned */
int equant_rank_leave(int returned);

/**
 * equant_rank_next() - the function of that name behind this library
 * @name: of the function
 * @caller: an address in whoever calls it
 *
 * That is one of another tool, if there is one, or MPI's: among what was loaded with the program, or with
 * the plugin that calls.  This library is linked with no MPI, which would come before a plugin's.
 *
 * Return: its address.  Where nobody has it the process ends, after a message.
 */
void *equant_rank_next(const char *name, void *caller);

#endif /* EQUANT_PRELOAD_RANK_H */
