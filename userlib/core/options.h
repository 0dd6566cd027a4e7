/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CORE_OPTIONS_H
#define EQUANT_CORE_OPTIONS_H

#include <equant/equant.h>

/**
 * equant_options_resolve() - defaults, then the caller's, then the environment's
 * @out: receives a complete set whose strings are malloc'ed
 * @user: the caller's options or NULL
 *
 * Return: 0; -EINVAL after a message that names the option and the value; -ENOMEM.
 */
int equant_options_resolve(struct equant_options *out, const struct equant_options *user);

/** equant_options_release() - free the strings of a resolved set */
void equant_options_release(struct equant_options *options);

/** equant_options_digest() - a number that differs when the options that must agree on all ranks do */
uint64_t equant_options_digest(const struct equant_options *options);

#endif /* EQUANT_CORE_OPTIONS_H */
