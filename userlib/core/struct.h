/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CORE_STRUCT_H
#define EQUANT_CORE_STRUCT_H

#include <stddef.h>

/*
 * As the kernel's check_zeroed_user(): what a newer caller has set beyond the @known bytes of a struct
 * of @size.  Where that begins, or 0.
 */
static inline size_t equant_struct_unknown(const void *data, size_t known, size_t size)
{
	for (size_t i = known; i < size; i++)
		if (((const unsigned char *)data)[i])
			return i;
	return 0;
}

/* What is wrong with a struct whose size was not set, or to less than that of any library. */
#define EQUANT_STRUCT_SMALL(name) \
	"struct " name ": sz is too small, it must be sizeof(struct " name ")"

#endif /* EQUANT_CORE_STRUCT_H */
