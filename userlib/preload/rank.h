/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The rank that this process is, and the thread of it whose time is told apart: a library that is loaded
 * before a program has nobody who could hold a handle for it.
 */
#ifndef EQUANT_PRELOAD_RANK_H
#define EQUANT_PRELOAD_RANK_H

/** equant_rank_begin() - MPI may have been initialised by the calling thread: if so, begin */
void equant_rank_begin(void);

/** equant_rank_end() - MPI_Finalize() was called: write what there is */
void equant_rank_end(void);

/** equant_rank_enter() - a call of MPI begins, in any thread */
void equant_rank_enter(void);

/** equant_rank_leave() - and ends; hands on what it returned */
int equant_rank_leave(int returned);

#endif /* EQUANT_PRELOAD_RANK_H */
