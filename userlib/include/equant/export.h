/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_EXPORT_H
#define EQUANT_EXPORT_H

#define EQUANT_API __attribute__((visibility("default")))

#endif /* EQUANT_EXPORT_H */
