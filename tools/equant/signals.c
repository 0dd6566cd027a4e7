// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What was decided about signals before this program began.
 */
#include <signal.h>
#include <stddef.h>

#include "signals.h"

bool signal_is_ignored(int sig)
{
	struct sigaction action;

	return !sigaction(sig, NULL, &action) && action.sa_handler == SIG_IGN;
}
