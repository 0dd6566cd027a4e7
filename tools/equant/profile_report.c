// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant report of profiles that were kept: of a job whose `equant run` was killed, say.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "json.h"
#include "output.h"
#include "run.h"

int equant_report_profiles(const char *directory, bool as_json)
{
	struct run_result *result = calloc(1, sizeof(*result));
	struct json json = { .out = stdout };
	int ret;

	if (!result) {
		fprintf(stderr, "equant: %s\n", strerror(ENOMEM));
		return 1;
	}
	snprintf(result->directory, sizeof(result->directory), "%s", directory);
	ret = run_collect_profiles(result);
	if (as_json) {
		json_open_object(&json, NULL);
		run_put_profiles(&json, result);
		json_close_object(&json);
	} else {
		run_print_profiles(stdout, result);
	}
	ret |= output_flush("report");
	run_result_release(result);
	free(result);
	return ret ? 1 : 0;
}
