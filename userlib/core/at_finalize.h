/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CORE_AT_FINALIZE_H
#define EQUANT_CORE_AT_FINALIZE_H

struct equant;

/** equant_at_finalize_begin() - from now on loops that are open when MPI ends are told of; 0 or -errno */
int equant_at_finalize_begin(struct equant *eq);

/** equant_at_finalize_end() - no more; also for one that was not told of */
void equant_at_finalize_end(struct equant *eq);

#endif /* EQUANT_CORE_AT_FINALIZE_H */
