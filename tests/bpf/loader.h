/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Tests that load the probe themselves, and what the tool says; included by the programs of that kind. */
#ifndef LOADER_H
#define LOADER_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "libtable.h"

FIXTURE(loader)
{
	char output[4096];
	char why[512];
};

FIXTURE_SETUP(loader)
{
	const char *reason = why_no_live_tests();

	if (reason)
		SKIP(_exit(SKIPPED), "%s", reason);
	unload_on_abort();
}

FIXTURE_TEARDOWN(loader)
{
	if (!geteuid())
		probe_tool("unload", self->output, sizeof(self->output));
}

#define tool(what) probe_tool(what, self->output, sizeof(self->output))
#define expect_output(text)                                           \
	EXPECT_NE(NULL, strstr(self->output, text))                   \
	{                                                             \
		TH_LOG("expected \"%s\" in: %s", text, self->output); \
	}

#endif /* LOADER_H */
