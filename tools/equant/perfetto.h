/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef EQUANT_TOOL_PERFETTO_H
#define EQUANT_TOOL_PERFETTO_H

#include <stdio.h>

#include "rank_trace.h"

/** perfetto_write() - the traces for a trace viewer; 0, -ENOMEM, or -EIO on a write error */
int perfetto_write(FILE *out, const struct rank_traces *set);

#endif /* EQUANT_TOOL_PERFETTO_H */
