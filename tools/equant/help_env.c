// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant help env: the options of the library, as the library describes them.
 */
#include <stdio.h>

#include <equant/equant.h>

#include "commands.h"

static void print_option(void *ctx, const char *variable, const char *value, const char *range,
			 const char *meaning)
{
	(void)ctx;
	printf("\n%s\n    %s\n    %s; default: %s\n", variable, meaning, range,
	       *value ? value : "none");
}

int equant_help_env(void)
{
	puts("Every option is a field of struct equant_options and an environment variable,\n"
	     "which wins over the program.");
	equant_options_describe(print_option, NULL);
	return 0;
}
