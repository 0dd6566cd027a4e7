/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_CORE_MESSAGE_H
#define EQUANT_CORE_MESSAGE_H

/**
 * equant_message() - one line on standard error, "equant: ..."
 *
 * Written with a single write(2), so that lines of several ranks do not mix; lines of what is
 * said are joined by semicolons.
 */
void equant_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* EQUANT_CORE_MESSAGE_H */
