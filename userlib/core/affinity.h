/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CORE_AFFINITY_H
#define EQUANT_CORE_AFFINITY_H

#include <stdint.h>

#include <equant/balance.h>

/** equant_machine() - names the machine that this is, by its name and its last start; 0 = not known */
uint64_t equant_machine(void);

/** equant_affinity() - the CPUs of @machine that the calling thread may use, as they are now */
struct equant_affinity equant_affinity(uint64_t machine);

#endif /* EQUANT_CORE_AFFINITY_H */
