// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* fault_worker CASE: a call of pdgemr2d that cannot be; says so if it comes back. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "scalapack.h"

int main(int argc, char **argv)
{
	int me, p, all, over, desca[9] = { 1, 0, 10, 1, 2, 1, 0, 0, 10 }, descb[9];
	const char *fault = argc > 1 ? argv[1] : "";
	double a[10] = { 0 }, b[10];
	double *to = b;
	int last;

	MPI_Init(&argc, &argv);
	Cblacs_pinfo(&me, &p);
	last = me == p - 1;
	Cblacs_get(-1, 0, &all);
	Cblacs_gridinit(&all, "R", p, 1);
	over = all;
	memcpy(descb, desca, sizeof(desca));
	desca[1] = descb[1] = all;
	descb[4] = 3;
	if (!strcmp(fault, "zero")) {
		desca[4] = 0;
	} else if (!strcmp(fault, "differ") && last) {
		desca[4] = 5;
	} else if (!strcmp(fault, "alias")) {
		to = a;
	} else if (!strcmp(fault, "context") && last) {
		desca[1] = descb[1] = over = -1;
	} else if (!strcmp(fault, "contexts")) {
		int other;

		Cblacs_get(-1, 0, &other);
		Cblacs_gridinit(&other, "R", p, 1);
		over = last ? other : all;
	}
	Cpdgemr2d(10, 1, a, 1, 1, desca, to, 1, 1, descb, over);
	printf("it came back\n");
	MPI_Finalize();
	return 0;
}
