/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The kernel module's device, opened and asked who it is.
 */
#ifndef EQUANT_PROBE_DEVICE_H
#define EQUANT_PROBE_DEVICE_H

#include <stddef.h>

#include <equant/kmod.h>

/**
 * equant_device_open() - open /dev/equant
 * @flags: for open(), beside O_RDONLY and O_CLOEXEC
 * @info: receives what the module says of itself; a version that is understood
 *
 * Return: a descriptor, or -errno and a sentence in @why.
 */
int equant_device_open(int flags, struct equant_info *info, char *why, size_t why_size);

/** equant_device_check() - 0, or -EPROTO and a sentence: this is another version */
int equant_device_check(const struct equant_info *info, char *why, size_t why_size);

/** equant_device_refused() - why an attachment was refused; returns @error */
int equant_device_refused(int error, char *why, size_t why_size);

#endif /* EQUANT_PROBE_DEVICE_H */
