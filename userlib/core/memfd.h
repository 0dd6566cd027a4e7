/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CORE_MEMFD_H
#define EQUANT_CORE_MEMFD_H

#include <sys/mman.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

/* Memory without a name; kernels that know that nobody executes it may demand that it is said (vm.memfd_noexec). */
static inline int equant_memfd(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_NOEXEC_SEAL);

	return fd >= 0 ? fd : memfd_create(name, MFD_CLOEXEC);
}

#endif /* EQUANT_CORE_MEMFD_H */
