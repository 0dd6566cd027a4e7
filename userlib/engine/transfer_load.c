// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Plans from files: one rank reads, and all look at what it has read. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/compare.h"
#include "core/message.h"
#include "core/mpi_error.h"
#include "engine/transfer_file.h"

static int read_bytes(struct equant_plan_file *file, FILE *from)
{
	size_t room = 0, got;

	do {
		char *more = realloc(file->bytes, 2 * room + 4096);

		if (!more)
			return -ENOMEM;
		file->bytes = more;
		room = 2 * room + 4096;
		got = fread(file->bytes + file->count, 1, room - file->count, from);
		file->count += got;
	} while (file->count == room);
	return ferror(from) ? -errno : 0;
}

static int read_file(struct equant_plan_file *file)
{
	FILE *from = file->path ? fopen(file->path, "rb") : NULL;
	int error = from ? read_bytes(file, from) : file->path ? -errno : -EINVAL;

	if (from)
		fclose(from);
	if (error)
		equant_message("equant_transfer_load: %s: %s", file->path ? file->path : "no file",
			       strerror(-error));
	return error;
}

/* Rank 0's on all. */
static int share_file(const struct equant_transfer *transfer, struct equant_plan_file *file)
{
	int error = transfer->rank ? 0 : read_file(file);

	error = equant_mpi_agree(transfer->comm, error);
	if (!error)
		error = equant_mpi_error(MPI_Bcast(&file->count, 1, MPI_UINT64_T, 0,
						   transfer->comm),
					 "sharing a plan");
	if (error)
		return error;
	if (transfer->rank)
		file->bytes = malloc(file->count + 1);
	error = equant_mpi_agree(transfer->comm, file->bytes ? 0 : -ENOMEM);
	for (uint64_t at = 0; at < file->count && !error; at += EQUANT_TRANSFER_LARGEST) {
		uint64_t rest = file->count - at;

		rest = rest < EQUANT_TRANSFER_LARGEST ? rest : EQUANT_TRANSFER_LARGEST;
		error = equant_mpi_error(MPI_Bcast(file->bytes + at, (int)rest, MPI_BYTE, 0,
						   transfer->comm),
					 "sharing a plan");
	}
	return error;
}

/* What is in the file cannot be asked for. */
static int check_options(const struct equant_transfer *transfer,
			 const struct equant_transfer_options *options)
{
	if (options->senders || options->receivers || options->network || options->scheduler ||
	    options->router || options->largest) {
		equant_message(
			"equant_transfer_load: senders, receivers, network, scheduler, router and largest are the plan's");
		return -EINVAL;
	}
	if (options->window >= 0)
		return equant_transfer_check_node(transfer, options->node);
	equant_message("rank %d: equant_transfer_load: window %d", transfer->rank, options->window);
	return -EINVAL;
}

static int agree(const struct equant_transfer *transfer,
		 const struct equant_transfer_options *options, int error)
{
	const struct equant_alike things[] = {
		{ "the window", (uint64_t)options->window },
		{ "node", options->node },
		{ "the number of transfers beside",
		  (uint64_t)equant_transfer_count_beside(options->beside) },
		{ "EQUANT_CHECK", transfer->limits.check },
	};

	return equant_compare(transfer->comm, transfer->call, error, things,
			      sizeof(things) / sizeof(things[0]));
}

struct equant_transfer *equant_transfer_load(MPI_Comm comm, const char *path,
					     const struct equant_transfer_options *given)
{
	struct equant_transfer_options options;
	struct equant_plan_file file = { .path = path };
	int error = equant_transfer_copy_options("equant_transfer_load", given, &options);
	struct equant_transfer *transfer =
		equant_transfer_open(comm, options.group, "equant_transfer_load");

	if (!transfer)
		return NULL;
	if (!error)
		error = check_options(transfer, &options);
	error = agree(transfer, &options, error);
	file.says = !transfer->rank;
	if (!error)
		error = share_file(transfer, &file);
	if (!error) {
		error = equant_plan_parse(&file, transfer);
		if (options.window)
			transfer->window = options.window;
		error = equant_transfer_prepare(transfer, &options, error, NULL);
	}
	free(file.bytes);
	if (!error)
		equant_transfer_join_beside(transfer, options.beside);
	return error ? equant_transfer_give_up(transfer, error) : transfer;
}
