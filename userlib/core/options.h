/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CORE_OPTIONS_H
#define EQUANT_CORE_OPTIONS_H

#include <limits.h>
#include <stdbool.h>

#include <equant/equant.h>

/* Bytes of a directory's name: with any file of a loop in it, a path is not cut off. */
#define EQUANT_DIRECTORY_MAX (PATH_MAX - 128)

/**
 * equant_options_resolve() - defaults, then the caller's, then the environment's
 * @out: receives a complete set whose strings are malloc'ed
 * @user: the caller's options or NULL
 *
 * Return: 0; -EINVAL after a message that names the option and the value, -ENAMETOOLONG after one
 * that names the option; -ENOMEM.
 */
int equant_options_resolve(struct equant_options *out, const struct equant_options *user);

/**
 * equant_options_limits() - EQUANT_TIMEOUT and EQUANT_CHECK for calls that have no context
 * @again: they are resolved, too, so nothing is told of them here
 *
 * For what cannot be the default counts; it is told on standard error, if not by who resolves them.
 */
void equant_options_limits(double *timeout, int *check, bool again);

/**
 * equant_options_misspelled() - say which variables of the environment nearly have an option's name
 *
 * They are no error: the library knows only its own.
 */
void equant_options_misspelled(void);

/** equant_options_release() - free the strings of a resolved set */
void equant_options_release(struct equant_options *options);

#define EQUANT_OPTIONS_MAX 64

/**
 * equant_options_shared() - what must agree on all ranks
 * @values: receives a number per option; 0 for those that may differ, and behind the last one
 */
void equant_options_shared(const struct equant_options *options,
			   uint64_t values[EQUANT_OPTIONS_MAX]);

/** equant_options_name() - the variable of the i-th of these values */
const char *equant_options_name(size_t i);

#endif /* EQUANT_CORE_OPTIONS_H */
