/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_TOOL_SIGNALS_H
#define EQUANT_TOOL_SIGNALS_H

#include <stdbool.h>

/** signal_is_ignored() - has who started this asked so, as nohup does? Then it is to stay so. */
bool signal_is_ignored(int sig);

#endif /* EQUANT_TOOL_SIGNALS_H */
