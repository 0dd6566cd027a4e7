// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Who had which chunk: written down as a line per chunk, "FIRST COUNT", in a file per rank, and
 * handed out again the same way.  All files together must have each iteration once: the ends of their
 * chunks must be the beginnings of others, which checksums of both tell, and a chunk beyond the loop is
 * refused with its file and line.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/message.h"
#include "core/mix.h"
#include "core/mpi_error.h"
#include "engine/self_internal.h"
#include "loop/loop_internal.h"

struct equant_self_record {
	FILE *out;
	int error; /* of the first line that could not be written: none is after that */
	pthread_mutex_t lock; /* of both */
	struct equant_chunk *chunks; /* to be handed out again */
	int64_t count;
	int64_t at;
};

static void path_of(const struct equant_self *self, const char *folder, char *path, size_t size)
{
	snprintf(path, size, "%s/self.%d", folder, self->eq->rank);
}

static int append(struct equant_self_record *record, const struct equant_chunk *chunk)
{
	if (!(record->count & (record->count - 1))) {
		size_t room = record->count ? 2 * (size_t)record->count : 1;
		void *more = realloc(record->chunks, room * sizeof(*chunk));

		if (!more)
			return -ENOMEM;
		record->chunks = more;
	}
	record->chunks[record->count++] = *chunk;
	return 0;
}

static int parse_line(const struct equant_self *self, const char *text, struct equant_chunk *chunk)
{
	int end = 0;

	if (sscanf(text, "%" SCNd64 " %" SCNd64 "%n", &chunk->first, &chunk->count, &end) != 2)
		return -EINVAL;
	if (strcmp(text + end, "\n") || chunk->first < 0 || chunk->count < 1)
		return -EINVAL;
	if (chunk->first >= self->total || chunk->count > self->total - chunk->first)
		return -EINVAL;
	return 0;
}

static int read_chunks(struct equant_self *self, const char *path, FILE *in)
{
	struct equant_chunk chunk;
	char text[128];
	int error = 0;

	for (long line = 1; !error && fgets(text, sizeof(text), in); line++) {
		error = parse_line(self, text, &chunk);
		if (error)
			equant_message("equant_self_new: %s:%ld: '%.*s' is no chunk of %" PRId64,
				       path, line, (int)strcspn(text, "\n"), text, self->total);
		else
			error = append(self->record, &chunk);
	}
	return error ? error : ferror(in) ? -EIO : 0;
}

static int open_replay(struct equant_self *self, const char *folder)
{
	char path[4096];
	FILE *in;
	int error;

	path_of(self, folder, path, sizeof(path));
	in = fopen(path, "re");
	if (!in) {
		error = -errno;
		equant_message("equant_self_new: %s: %s", path, strerror(-error));
		return error;
	}
	error = read_chunks(self, path, in);
	fclose(in);
	return error;
}

static int open_record(struct equant_self *self, const char *folder)
{
	char path[4096];
	int error;

	path_of(self, folder, path, sizeof(path));
	self->record->out = fopen(path, "ae");
	if (self->record->out)
		return 0;
	error = -errno;
	equant_message("equant_self_new: %s: %s", path, strerror(-error));
	return error;
}

/* What is no file, a device or a pipe, cannot be cut, and need not. */
static int empty_record(struct equant_self *self, const char *folder)
{
	int error = ftruncate(fileno(self->record->out), 0) ? -errno : 0;
	char path[4096];

	if (!error || error == -EINVAL)
		return 0;
	path_of(self, folder, path, sizeof(path));
	equant_message("equant_self_new: emptying %s: %s", path, strerror(-error));
	return error;
}

/* The sums of chunks that follow each other are that of all of them as one, modulo 2^64. */
static uint64_t sum_of(int64_t first, int64_t count)
{
	return equant_mix((uint64_t)(first + count)) - equant_mix((uint64_t)first);
}

/* Recordings of another loop, or of another number of ranks. */
static int check_sum(struct equant_self *self)
{
	uint64_t sums[2] = { 0 };
	int error;

	for (int64_t i = 0; i < self->record->count; i++) {
		const struct equant_chunk *chunk = &self->record->chunks[i];

		sums[0] += (uint64_t)chunk->count;
		sums[1] += sum_of(chunk->first, chunk->count);
	}
	error = equant_mpi_error(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_UINT64_T, MPI_SUM,
					       self->comm),
				 "adding up recorded chunks");
	if (error || (sums[0] == (uint64_t)self->total && sums[1] == sum_of(0, self->total)))
		return error;
	if (!self->eq->rank)
		equant_message("equant_self_new: the recorded chunks have %" PRIu64 " of %" PRId64
			       ", or some twice: of another loop, or of another number of ranks",
			       sums[0], self->total);
	return -EINVAL;
}

int equant_self_record_open(struct equant_self *self, const struct equant_self_options *options)
{
	int error = 0;

	if (!options->record && !options->replay)
		return 0;
	self->record = calloc(1, sizeof(*self->record));
	if (!self->record)
		error = -ENOMEM;
	else
		pthread_mutex_init(&self->record->lock, NULL);
	if (!error && options->replay)
		error = open_replay(self, options->replay);
	error = equant_mpi_agree(self->comm, error);
	self->replays = options->replay != NULL;
	if (!error && options->replay)
		error = check_sum(self);
	/* Last: it may be the same folder, and where one rank is refused all files keep what they hold. */
	if (!error && options->record)
		error = open_record(self, options->record);
	error = equant_mpi_agree(self->comm, error);
	if (!error && options->record)
		error = empty_record(self, options->record);
	return equant_mpi_agree(self->comm, error);
}

int equant_self_record_next(struct equant_self *self, struct equant_self_chunk *chunk)
{
	struct equant_self_record *record = self->record;
	int64_t at = __atomic_fetch_add(&record->at, 1, __ATOMIC_RELAXED);

	if (at >= record->count)
		return 0;
	*chunk = (struct equant_self_chunk){
		.first = record->chunks[at].first,
		.count = record->chunks[at].count,
	};
	return 1;
}

/* A chunk that cannot be written down is computed all the same; equant_self_free() says why it was not. */
void equant_self_record_write(struct equant_self *self, const struct equant_self_chunk *chunk)
{
	struct equant_self_record *record = self->record;

	if (!record->out)
		return;
	pthread_mutex_lock(&record->lock);
	if (!record->error &&
	    fprintf(record->out, "%" PRId64 " %" PRId64 "\n", chunk->first, chunk->count) < 0)
		record->error = -errno;
	pthread_mutex_unlock(&record->lock);
}

int equant_self_record_close(struct equant_self *self)
{
	struct equant_self_record *record = self->record;
	int error;

	if (!record)
		return 0;
	error = record->error;
	if (record->out && fclose(record->out) && !error)
		error = -errno;
	if (error)
		equant_message("equant_self_free: the recorded chunks: %s", strerror(-error));
	pthread_mutex_destroy(&record->lock);
	free(record->chunks);
	free(record);
	self->record = NULL;
	return error;
}
