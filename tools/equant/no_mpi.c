// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What is left of the commands that need the MPI half of the library when
 * there was no MPI to build it with.
 */
#include <stdio.h>

#include "commands.h"
#include "have.h"

#if !EQUANT_HAVE_MPI
static int built_without_mpi(const char *what)
{
	fprintf(stderr, "%s: built without MPI\n", what);
	return 1;
}

int equant_cmd_run(int argc, char **argv)
{
	(void)argc;
	built_without_mpi(argv[0]);
	return 125;
}

int equant_cmd_demo(int argc, char **argv)
{
	(void)argc;
	return built_without_mpi(argv[0]);
}

int equant_report_profiles(const char *directory, bool as_json)
{
	(void)directory;
	(void)as_json;
	return built_without_mpi("equant report of profiles");
}

int equant_help_env(void)
{
	return built_without_mpi("equant help env");
}
#endif
