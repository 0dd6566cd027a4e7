// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Loops that ranks share out among themselves, chunk by chunk. */
#include <equant/self.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libworker.h"

#define THREADS 3
#define MOST 10000

static struct equant_chunks_options loop_of(const char *scheme, int64_t iterations)
{
	return (struct equant_chunks_options){
		.sz = sizeof(struct equant_chunks_options),
		.scheme = scheme,
		.dimensions = 1,
		.extents = { iterations },
		.chunk = strcmp(scheme, "css") ? 0 : 7,
	};
}

/* NULL: the library's choice. */
static const char *engine;

/* The name of a scheme that the engine takes, or NULL when there are no more; counts @i up. */
static const char *next_scheme(int *i)
{
	const char *name;

	do
		name = equant_scheme_name((*i)++);
	while (name && engine && !strcmp(engine, "tree") && strcmp(name, "trees"));
	return name;
}

static struct equant_self *loop_new(struct equant *eq, const struct equant_chunks_options *loop,
				    int power, int fixed)
{
	const struct equant_self_options options = {
		.sz = sizeof(options),
		.loop = loop,
		.power = power,
		.fixed = fixed,
		.engine = engine,
	};

	return equant_self_new(eq, &options);
}

static struct equant_self *must_self(struct equant *eq, const struct equant_chunks_options *loop,
				     int power, int fixed)
{
	struct equant_self *self = loop_new(eq, loop, power, fixed);

	demand(self != NULL);
	return self;
}

/* A barrier in which a master answers. */
static void meet(struct equant_self *self)
{
	MPI_Request request;
	int done = 0, error;

	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	while (!done) {
		error = equant_self_progress(self);
		/* Others may be through already. */
		demand(error == 0 || error == -ECANCELED);
		MPI_Test(&request, &done, MPI_STATUS_IGNORE);
		sched_yield();
	}
}

/* ---- every iteration --------------------------------------------------------------- */

static int seen[MOST];

static void mark(const struct equant_chunks_options *loop, struct equant_self *self, int64_t n)
{
	int64_t first[EQUANT_CHUNKS_DIMENSIONS] = { 0 }, extents[EQUANT_CHUNKS_DIMENSIONS] = { 0 };
	int planes = loop->dimensions > 1;

	demand_equal(0, equant_self_box(self, n, first, extents));
	for (int64_t i = first[0]; i < first[0] + extents[0]; i++)
		for (int64_t k = first[1]; k < first[1] + (planes ? extents[1] : 1); k++)
			__atomic_fetch_add(&seen[planes ? i * loop->extents[1] + k : i], 1,
					   __ATOMIC_RELAXED);
}

struct body {
	const struct equant_chunks_options *loop;
	struct equant_self *self;
	uint64_t seed;
};

static void *take_all(void *arg)
{
	const struct body *body = arg;
	struct random random = random_from(body->seed);
	struct equant_self_chunk chunk = { 0 };
	int got;

	while ((got = equant_self_next(body->self, &chunk)) == 1) {
		for (int64_t n = chunk.first; n < chunk.first + chunk.count; n++)
			mark(body->loop, body->self, n);
		/* Ranks that are slow now and then. */
		for (long i = random_below(&random, 4); i > 0; i--)
			sched_yield();
	}
	demand_equal(0, got);
	demand_equal(0, equant_self_next(body->self, &chunk));
	return NULL;
}

static void check_all(const struct equant_chunks_options *loop)
{
	int64_t all = loop->extents[0] * (loop->dimensions > 1 ? loop->extents[1] : 1);

	MPI_Allreduce(MPI_IN_PLACE, seen, (int)all, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	for (int64_t i = 0; i < all; i++)
		if (seen[i] != 1)
			worker_fail_text(__FILE__, __LINE__,
					 "%s, %lld x %lld: iteration %lld was computed %d times",
					 loop->scheme, (long long)loop->extents[0],
					 (long long)loop->extents[1], (long long)i, seen[i]);
	memset(seen, 0, sizeof(seen));
}

/* The same on all ranks. */
static struct equant_chunks_options any_loop(struct random *random, const char *scheme, int round)
{
	struct equant_chunks_options loop = loop_of(scheme, 0);

	loop.minimum = random_below(random, 4) ? 0 : 1 + random_below(random, 10);
	if (round % 2) {
		loop.dimensions = 2;
		loop.extents[0] = random_below(random, 101);
		loop.extents[1] = random_below(random, 101);
	} else {
		loop.extents[0] = random_below(random, random_below(random, 4) ? MOST + 1 : 12);
	}
	return loop;
}

static void one_loop(struct equant *eq, const struct equant_chunks_options *loop, int fixed,
		     uint64_t seed, int threads)
{
	struct body body = { loop, must_self(eq, loop, 1 + rank % 3, fixed), seed };
	pthread_t thread[THREADS];

	for (int t = 0; t < threads; t++)
		demand_equal(0, pthread_create(&thread[t], NULL, take_all, &body));
	take_all(&body);
	for (int t = 0; t < threads; t++)
		pthread_join(thread[t], NULL);
	demand_equal(0, equant_self_free(body.self));
	check_all(loop);
}

/* One and two dimensions; engines in turn, unless one is given. */
static void each_loop(int rounds, int threads)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct random random = common_random();
	uint64_t seed = random.state;
	const char *given = engine, *scheme;

	for (int i = 0; (scheme = next_scheme(&i));) {
		for (int round = 0; round < rounds; round++) {
			struct equant_chunks_options loop =
				any_loop(&random, scheme, round / 2 + i + ranks);

			if (!given)
				engine = round % 2 ? "master" : "node";
			one_loop(eq, &loop, (int)random_below(&random, 2), seed + (uint64_t)rank,
				 threads);
		}
	}
	must_close(eq);
}

static void every_iteration(void)
{
	each_loop(ranks < 4 ? 4 : 2, 0);
}

static void every_iteration_by_threads(void)
{
	each_loop(4, THREADS);
}

/* Who frees the loop at once leaves all to the others. */
static void idlers_compute_nothing(struct equant *eq, const char *scheme, int64_t n, int idlers)
{
	struct equant_chunks_options loop = loop_of(scheme, n);
	struct equant_self *self = must_self(eq, &loop, 0, 0);
	struct body body = { &loop, self, (uint64_t)rank };

	if (!(idlers >> rank & 1))
		take_all(&body);
	demand_equal(0, equant_self_free(self));
	check_all(&loop);
}

/* Or nobody does. */
static void some_compute_nothing(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	const char *scheme;

	for (int i = 0; (scheme = next_scheme(&i));) {
		struct equant_chunks_options loop = loop_of(scheme, 500);

		/* All sets of ranks but that of all. */
		for (int idlers = 1; idlers + 1 < 1 << ranks; idlers++) {
			idlers_compute_nothing(eq, scheme, 500, idlers);
			idlers_compute_nothing(eq, scheme, ranks, idlers);
		}
		demand_equal(0, equant_self_free(must_self(eq, &loop, 0, 0)));
	}
	must_close(eq);
}

/* ---- recorded ---------------------------------------------------------------------------- */

/* The chunks of this rank, as text. */
static char *chunks_of(struct equant *eq, const struct equant_chunks_options *loop,
		       const char *record, const char *replay)
{
	const struct equant_self_options options = {
		.sz = sizeof(options),
		.loop = loop,
		.record = record,
		.replay = replay,
		.engine = engine,
	};
	struct equant_self *self = equant_self_new(eq, &options);
	struct equant_self_chunk chunk = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	demand(self && out);
	while (equant_self_next(self, &chunk) == 1) {
		fprintf(out, "%ld+%ld ", (long)chunk.first, (long)chunk.count);
		for (int64_t n = chunk.first; n < chunk.first + chunk.count; n++)
			mark(loop, self, n);
		usleep(rank ? 100 : 10);
	}
	fclose(out);
	demand_equal(0, equant_self_free(self));
	check_all(loop);
	return text;
}

static void recorded(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	const char *folder = getenv("FOLDER"), *scheme;
	char *once, *again;

	for (int i = 0; (scheme = next_scheme(&i));) {
		struct equant_chunks_options loop = loop_of(scheme, 200);

		loop.minimum = 3;
		loop.dimensions = 1 + i % 2;
		loop.extents[1] = 30;
		once = chunks_of(eq, &loop, folder, NULL);
		/* Into the folder that is read; what is there then is as good as what was. */
		again = chunks_of(eq, &loop, folder, folder);
		demand_equal(0, strcmp(once, again));
		free(again);
		again = chunks_of(eq, &loop, NULL, folder);
		demand_equal(0, strcmp(once, again));
		free(once);
		free(again);
	}
	must_close(eq);
}

static void record_path(char *path, size_t size)
{
	snprintf(path, size, "%s/self.%d", getenv("FOLDER"), rank);
}

static void write_record(const char *text)
{
	char path[256];
	FILE *out;

	record_path(path, sizeof(path));
	out = fopen(path, "w");
	demand(out != NULL);
	fputs(text, out);
	fclose(out);
}

static void is_recorded(const char *text)
{
	char path[256], there[64] = "";
	FILE *in;

	record_path(path, sizeof(path));
	in = fopen(path, "r");
	demand(in != NULL);
	demand_equal(strlen(text), fread(there, 1, sizeof(there) - 1, in));
	demand_equal(0, strcmp(text, there));
	fclose(in);
}

static void cannot_replay(struct equant *eq, const char *folder, int error)
{
	struct equant_chunks_options loop = loop_of("gss", 20);
	const struct equant_self_options options = {
		.sz = sizeof(options),
		.loop = &loop,
		.replay = folder,
		.record = getenv("FOLDER"),
	};

	errno = 0;
	demand(equant_self_new(eq, &options) == NULL);
	demand_equal(error, errno);
}

/* One rank alone does not replay. */
static void some_replay(struct equant *eq)
{
	struct equant_chunks_options loop = loop_of("gss", 20);
	const struct equant_self_options options = {
		.sz = sizeof(options),
		.loop = &loop,
		.replay = rank ? getenv("FOLDER") : NULL,
	};

	errno = 0;
	demand(equant_self_new(eq, &options) == NULL);
	demand_equal(EINVAL, errno);
}

static void bad_recordings(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	const char *folder = getenv("FOLDER");

	cannot_replay(eq, "/nonexistent", ENOENT);
	write_record(rank ? "" : "0 10\n10 ten\n");
	cannot_replay(eq, folder, rank ? ECANCELED : EINVAL);
	write_record(rank ? "" : "0 10\n15 6\n");
	cannot_replay(eq, folder, rank ? ECANCELED : EINVAL);
	write_record(rank ? "" : "0 10\n10 9\n");
	cannot_replay(eq, folder, EINVAL);
	write_record(rank ? "" : "0 10\n9 10\n");
	cannot_replay(eq, folder, EINVAL);
	/* 9 and 11 are missing, but there are as many numbers, and their sum is right. */
	write_record(rank ? "" : "0 9\n10 1\n10 1\n10 1\n12 8\n");
	cannot_replay(eq, folder, EINVAL);
	/* What was refused is what it was, though it was to be written as well. */
	is_recorded(rank ? "" : "0 9\n10 1\n10 1\n10 1\n12 8\n");
	some_replay(eq);
	must_close(eq);
}

static struct equant_self *must_record(struct equant *eq, const struct equant_chunks_options *loop)
{
	const struct equant_self_options options = {
		.sz = sizeof(options),
		.loop = loop,
		.record = getenv("FOLDER"),
	};
	struct equant_self *self = equant_self_new(eq, &options);

	demand(self != NULL);
	return self;
}

/* Where the last rank's file should be there is a folder: what the others have recorded before is kept. */
static void one_cannot_record(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct equant_chunks_options loop = loop_of("gss", 20);
	const struct equant_self_options options = {
		.sz = sizeof(options),
		.loop = &loop,
		.record = getenv("FOLDER"),
	};
	int last = rank == ranks - 1;
	char path[256];

	record_path(path, sizeof(path));
	if (last)
		demand_equal(0, mkdir(path, 0700));
	else
		write_record("0 20\n");
	errno = 0;
	demand(equant_self_new(eq, &options) == NULL);
	demand_equal(last ? EISDIR : ECANCELED, errno);
	if (last)
		demand_equal(0, rmdir(path));
	else
		is_recorded("0 20\n");
	must_close(eq);
}

/* The rank whose file is on a full disk has all chunks, many more than are written at once. */
static void full_disk(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct equant_chunks_options loop = loop_of("ss", 100000);
	struct equant_self_chunk chunk = { 0 };
	struct equant_self *self;
	char path[256];

	record_path(path, sizeof(path));
	demand_equal(0, rank == 1 ? symlink("/dev/full", path) : 0);
	self = must_record(eq, &loop);
	for (int i = 0; rank == 1 && i < 100000; i++)
		demand_equal(1, equant_self_next(self, &chunk));
	MPI_Barrier(MPI_COMM_WORLD);
	demand_equal(0, equant_self_next(self, &chunk));
	demand_equal(rank == 1 ? -ENOSPC : 0, equant_self_free(self));
	must_close(eq);
}

/* ---- the end before the end ----------------------------------------------------------- */

static void one_cancels(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	const char *scheme;

	for (int i = 0; (scheme = next_scheme(&i));) {
		struct equant_chunks_options loop = loop_of(scheme, 1000000000);
		struct equant_self *self = must_self(eq, &loop, 0, 0);
		struct equant_self_chunk chunk = { 0 };

		/* Before the others have taken everything. */
		if (!rank)
			demand_equal(1, equant_self_next(self, &chunk));
		MPI_Barrier(MPI_COMM_WORLD);
		if (!rank) {
			equant_self_cancel(self);
			demand_equal(0, equant_self_next(self, &chunk));
		} else {
			while (equant_self_next(self, &chunk) == 1)
				sched_yield();
		}
		demand_equal(0, equant_self_free(self));
	}
	must_close(eq);
}

static void one_body_fails(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	const char *scheme;

	for (int i = 0; (scheme = next_scheme(&i));) {
		struct equant_chunks_options loop = loop_of(scheme, 1000000000);
		struct equant_self *self = must_self(eq, &loop, 0, 0);
		struct equant_self_chunk chunk = { 0 };
		int got;

		/* Before the others have taken everything. */
		if (rank == ranks - 1)
			equant_self_fail(self, -EDOM);
		MPI_Barrier(MPI_COMM_WORLD);
		/* On other nodes it is known later, and the loop may have been over before. */
		do {
			got = equant_self_next(self, &chunk);
			sched_yield();
		} while (engine && got == 1);
		demand(got == -EDOM || (engine && !got && rank < ranks - 1));
		if (got == -EDOM)
			equant_self_fail(self, -EIO);
		demand_equal(-EDOM, equant_self_free(self));
	}
	must_close(eq);
}

/* In the middle of chunks that need the lock and of such that do not. */
static void one_is_killed(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct equant_chunks_options loop = loop_of(getenv("SCHEME"), INT64_C(1) << 50);
	struct equant_self *self = must_self(eq, &loop, 0, 0);
	struct equant_self_chunk chunk = { 0 };

	if (rank == ranks - 1)
		demand_equal(1, equant_self_next(self, &chunk));
	meet(self);
	if (rank == ranks - 1)
		raise(SIGKILL);
	while (equant_self_next(self, &chunk) == 1)
		usleep(1000);
	equant_self_free(self);
	must_close(eq);
}

/* Half of the loop is the master's, and it has hardly begun when the other rank asks. */
static void master_answers_within_its_chunk(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct equant_chunks_options loop = loop_of("fs", 8000);
	struct equant_self *self = must_self(eq, &loop, 0, 0);
	struct equant_self_chunk chunk = { 0 };
	MPI_Request request;
	int done = 0;

	if (!rank)
		demand_equal(1, equant_self_next(self, &chunk));
	meet(self);
	if (rank)
		demand_equal(1, equant_self_next(self, &chunk));
	demand_equal(rank ? 4000 : 0, chunk.first);
	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	while (!done) {
		if (!rank) {
			usleep((useconds_t)chunk.count * 1000);
			demand_equal(1, equant_self_next(self, &chunk));
			demand(chunk.first < 4000);
		}
		MPI_Test(&request, &done, MPI_STATUS_IGNORE);
		sched_yield();
	}
	equant_self_cancel(self);
	demand_equal(0, equant_self_free(self));
	must_close(eq);
}

/* What one rank of the node without master asks for is enough for both: the other need not ask. */
static void two_levels(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct equant_chunks_options loop = loop_of("ss", 1000);
	struct equant_self *self = must_self(eq, &loop, 0, 0);
	struct equant_self_chunk chunk = { 0 };

	if (rank == 2)
		demand_equal(1, equant_self_next(self, &chunk));
	meet(self);
	/* The master does not answer now. */
	if (rank == 3)
		demand_equal(1, equant_self_next(self, &chunk));
	MPI_Barrier(MPI_COMM_WORLD);
	equant_self_cancel(self);
	demand_equal(0, equant_self_free(self));
	must_close(eq);
}

/* ---- what cannot be -------------------------------------------------------------------- */

static void refused_everywhere(struct equant *eq, const struct equant_chunks_options *loop,
			       int power, int error)
{
	errno = 0;
	demand(loop_new(eq, loop, power, 0) == NULL);
	demand_equal(error, errno);
}

/* What a newer caller's loop holds beyond that of this library, which knows only zero there. */
struct newer {
	struct equant_chunks_options loop;
	int64_t more;
};

static void bad_loops(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct newer newer = { loop_of("gss", 10), 1 };
	struct equant_chunks_options loop = loop_of("guided", 10);
	const struct equant_self_options no_size = { .loop = &loop };
	struct equant_self *self;

	refused_everywhere(NULL, &loop, 0, EINVAL);
	refused_everywhere(eq, &loop, 0, EINVAL);
	loop = loop_of("css", 10);
	loop.chunk = 0;
	refused_everywhere(eq, &loop, 0, EINVAL);
	loop = loop_of("gss", 10);
	loop.dimensions = 0;
	refused_everywhere(eq, &loop, 0, EINVAL);
	loop.dimensions = 9;
	refused_everywhere(eq, &loop, 0, EINVAL);
	loop = loop_of("gss", 10);
	loop.workers = ranks;
	refused_everywhere(eq, &loop, 0, EINVAL);
	loop.workers = 0;
	refused_everywhere(eq, &loop, -1, EINVAL);
	loop = loop_of("gss", 10);
	engine = "three-level";
	refused_everywhere(eq, &loop, 0, EINVAL);
	engine = "tree";
	refused_everywhere(eq, &loop, 0, EINVAL);
	engine = NULL;
	newer.loop.sz = sizeof(newer);
	refused_everywhere(eq, &newer.loop, 0, EINVAL);
	newer.more = 0;
	demand_equal(0, equant_self_free(must_self(eq, &newer.loop, 0, 0)));
	newer.loop.sz = 0;
	refused_everywhere(eq, &newer.loop, 0, EINVAL);
	refused_everywhere(eq, NULL, 0, EINVAL);
	errno = 0;
	demand(!equant_self_new(eq, &no_size));
	demand_equal(EINVAL, errno);
	/* All is well after that. */
	self = must_self(eq, &loop, 0, 0);
	demand_equal(0, equant_self_free(self));
	must_close(eq);
}

static void loops_differ(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct equant_chunks_options loop = loop_of(rank ? "gss" : "fss", 10);

	refused_everywhere(eq, &loop, 0, EINVAL);
	loop = loop_of("gss", 10 + rank);
	refused_everywhere(eq, &loop, 0, EINVAL);
	/* One alone cannot. */
	loop = loop_of("gss", 10);
	refused_everywhere(eq, &loop, rank ? 0 : -1, rank ? ECANCELED : EINVAL);
	must_close(eq);
}

/* On several nodes. */
static void no_common_memory(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct equant_chunks_options loop = loop_of("gss", 10);

	refused_everywhere(eq, &loop, 0, EOPNOTSUPP);
	must_close(eq);
}

/* ---- powers -------------------------------------------------------------------------------- */

/* The first chunk of this rank, when ranks ask one after the other and nobody has reported. */
static int64_t first_chunk(struct equant *eq, const struct equant_chunks_options *loop, int power,
			   int fixed)
{
	struct equant_self *self = must_self(eq, loop, power, fixed);
	struct equant_self_chunk chunk = { 0 };

	for (int r = 0; r < ranks; r++) {
		if (r == rank)
			demand_equal(1, equant_self_next(self, &chunk));
		meet(self);
	}
	equant_self_cancel(self);
	demand_equal(0, equant_self_free(self));
	return chunk.count;
}

/* V = ranks + 2: the first rank stands for three steps of F, F - D, F - 2 D. */
static void fixed_powers(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct equant_chunks_options loop = loop_of("dtss", 1000000);
	int64_t count = first_chunk(eq, &loop, rank ? 1 : 3, 1), f = 1000000 / (2 * (ranks + 2));
	int64_t n = (2000000 + f) / (f + 1), d = (f - 1) / (n - 1);

	/* A master gets its chunk in pieces, the first of one iteration. */
	if (engine && !rank)
		demand_equal(1, count);
	else
		demand_equal(rank ? f - (2 + rank) * d : 3 * f - 3 * d, count);
	must_close(eq);
}

/* As first_chunk(), of powers 1, 2, ..; from a calculator that is told them. */
static int64_t calculated(const struct equant_chunks_options *loop)
{
	struct equant_chunks_options options = *loop;
	struct equant_chunk chunk = { 0 };
	struct equant_chunks *chunks;
	int powers[16];

	demand(ranks <= 16);
	for (int r = 0; r < ranks; r++)
		powers[r] = r + 1;
	options.workers = ranks;
	options.powers = powers;
	chunks = equant_chunks_new(&options, NULL, 0);
	demand(chunks != NULL);
	for (int r = 0; r <= rank; r++)
		demand_equal(1, equant_chunks_next(chunks, r, &chunk));
	equant_chunks_free(chunks);
	return chunk.count;
}

/* Until it has been measured a rank is worth what its power says. */
static void powers_before_reports(void)
{
	static const char *const schemes[] = { "awf-b", "awf-c", "awf-d", "awf-e", "af" };
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	/* A master gets its chunk in pieces, the first of one iteration. */
	int in_pieces = engine && !strcmp(engine, "master") && !rank;

	for (int i = 0; i < 10; i++) {
		struct equant_chunks_options loop = loop_of(schemes[i / 2], 10000);
		int64_t count;

		if (i % 2) {
			loop.dimensions = 2;
			loop.extents[0] = loop.extents[1] = 1000;
		}
		count = first_chunk(eq, &loop, rank + 1, 0);
		demand_equal(in_pieces ? 1 : calculated(&loop), count);
	}
	must_close(eq);
}

/* A rank alone, whose power is counted in parts; the last steps of wf are single iterations. */
static void small_end(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct equant_chunks_options loop = loop_of("wf", 1000);
	struct equant_self *self = must_self(eq, &loop, 3, 0);
	struct equant_self_chunk chunk = { 0 };
	int64_t last = 0;

	while (equant_self_next(self, &chunk) == 1)
		last = chunk.count;
	demand_equal(1, last);
	demand_equal(0, equant_self_free(self));
	must_close(eq);
}

/* Powers 8, 16, ..: who asks while less than 2 V single iterations are left gets fewer of them. */
static void fewer_in_the_end(void)
{
	struct equant *eq = must_open(MPI_COMM_WORLD, NULL);
	struct equant_chunks_options loop = loop_of("dtss", 1000);
	int64_t left = 1000, tail = 2 * 8 * (ranks * (ranks + 1) / 2), power = 8 * (rank + 1), part;
	struct equant_self_chunk chunk = { 0 };
	struct equant_self *self;

	loop.first = loop.minimum = 1;
	self = must_self(eq, &loop, rank + 1, 0);
	/* One rank after the other, each down to a last part of its own. */
	for (int r = 0; r < ranks; r++) {
		while (r == rank && left > (ranks - 1 - r) * 40) {
			demand_equal(1, equant_self_next(self, &chunk));
			part = left < tail ? left * power / tail : power;
			demand_equal(part > 1 ? part : 1, chunk.count);
			left -= chunk.count;
		}
		MPI_Bcast(&left, 1, MPI_INT64_T, r, MPI_COMM_WORLD);
	}
	demand_equal(0, left);
	demand_equal(0, equant_self_next(self, &chunk));
	demand_equal(0, equant_self_free(self));
	must_close(eq);
}

/* All ranks on one CPU: none has all of it. */
static void shared_cpu(void)
{
	struct equant_chunks_options loop = loop_of("dtss", INT64_C(1) << 50);
	struct equant_self_chunk chunk = { 0 };
	struct equant_self *self;
	struct equant *eq;
	MPI_Request request = MPI_REQUEST_NULL;
	int done = 0;
	double least = 1, asked = 0;

	share_a_cpu();
	eq = must_open(MPI_COMM_WORLD, NULL);
	loop.first = loop.minimum = 1;
	self = must_self(eq, &loop, 0, 0);
	/*
	 * Who has seen it goes on until the others have, and asks seldom: MPI_Test yields the CPU to them, who
	 * would have most of it.
	 */
	for (int64_t i = 0; !done && equant_self_next(self, &chunk) == 1; i++) {
		least = equant_self_power(self) < least ? equant_self_power(self) : least;
		if (least < 0.8 && request == MPI_REQUEST_NULL)
			MPI_Ibarrier(MPI_COMM_WORLD, &request);
		if (request == MPI_REQUEST_NULL || i % 1000 || MPI_Wtime() < asked + 0.1)
			continue;
		MPI_Test(&request, &done, MPI_STATUS_IGNORE);
		asked = MPI_Wtime();
	}
	demand(least > 0 && least < 0.8);
	equant_self_cancel(self);
	demand_equal(0, equant_self_free(self));
	must_close(eq);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(every_iteration),
		CASE(every_iteration_by_threads, .threads = MPI_THREAD_FUNNELED),
		CASE(some_compute_nothing),
		CASE(recorded),
		CASE(bad_recordings),
		CASE(one_cannot_record),
		CASE(full_disk),
		CASE(one_cancels),
		CASE(one_body_fails),
		CASE(one_is_killed),
		CASE(bad_loops),
		CASE(loops_differ),
		CASE(master_answers_within_its_chunk),
		CASE(two_levels),
		CASE(no_common_memory),
		CASE(fixed_powers),
		CASE(powers_before_reports),
		CASE(small_end),
		CASE(fewer_in_the_end),
		CASE(shared_cpu),
	};

	engine = getenv("ENGINE");
	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
