// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * network - what is between the ranks of a job, as a file for redistributions.
 *
 * Start-ups, bandwidths and the capacities of hosts are measured by equant_calibrate_network(); rank 0 prints
 * them as equant_redist_network_read() reads them.
 */
#include <equant/transfer.h>

#include "app.h"

static void usage(FILE *out)
{
	fputs("usage: network [-s SECONDS] [-o FILE]\n"
	      "  -s SECONDS   that measuring may take (default 5)\n"
	      "  -o FILE      where the network goes (default standard output)\n"
	      "\n"
	      "mpirun starts it as it starts the program that the network is for: on the same hosts,\n"
	      "with as many ranks, while nothing else is sent.\n",
	      out);
}

int main(int argc, char **argv)
{
	struct equant_redist_network *network;
	const char *path = "-";
	char why[200] = "";
	long seconds = 5;
	int c, rank, error;

	app_begin("network", &argc, &argv);
	while ((c = getopt_long(argc, argv, "s:o:h",
				(const struct option[]){ { "help", no_argument, NULL, 'h' }, { 0 } },
				NULL)) != -1) {
		if (c == 's')
			seconds = app_number("network", "-s", optarg, 1, 3600);
		else if (c == 'o')
			path = optarg;
		else
			app_help("network", usage, c);
	}
	app_no_more("network", argc, argv);
	app_go_on();
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	error = equant_calibrate_network(MPI_COMM_WORLD, (double)seconds, &network);
	if (!error && !rank)
		error = equant_redist_network_write(path, network, why, sizeof(why));
	if (error) {
		fprintf(stderr, "network: rank %d: %s\n", rank, why[0] ? why : strerror(-error));
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	equant_redist_network_free(network);
	return app_end("network", 0);
}
