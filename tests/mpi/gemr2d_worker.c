// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Parts of matrices that go from one grid of ranks to another. */
#include <equant/gemr2d.h>
#include <equant/redist.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>

#include "engine/gemr2d_internal.h"
#include "engine/transfer_internal.h"
#include "libworker.h"
#include "random.h"

#define ROUNDS 60
#define MOST 16 /* ranks */
#define UNTOUCHED 0xee

/**
 * struct matrix - one side, the same on all ranks but for the last two
 * @m: as this rank gives it
 * @place: of each rank in the grid, down its columns; -1: not in it
 * @leading: of each rank
 * @size: elements of this rank's local array
 * @local: it
 */
struct matrix {
	struct equant_gemr2d_matrix m;
	int place[MOST];
	int64_t leading[MOST];
	int64_t size;
	unsigned char *local;
};

static int64_t local_length(int64_t length, int64_t block, int processes, int first, int me)
{
	struct equant_redist_cyclic cyclic = { block, processes, first, 0 };

	return equant_redist_local(length, &cyclic, me);
}

/* A place in the grid for each of the first ranks of a random order. */
static void deal_places(struct random *random, struct matrix *x)
{
	int list[MOST], size = x->m.grid_rows * x->m.grid_columns;

	random_order(random, list, ranks);
	for (int i = 0; i < ranks; i++)
		x->place[i] = -1;
	for (int i = 0; i < size; i++)
		x->place[list[i]] = i;
}

static const struct equant_gemr2d_matrix *mine(const struct matrix *x)
{
	return x->place[rank] < 0 ? NULL : &x->m;
}

/* Local arrays of the size that there is something for. */
static void lay_out(struct random *random, struct matrix *x, size_t element)
{
	struct equant_gemr2d_matrix *m = &x->m;

	for (int r = 0; r < ranks; r++) {
		int64_t rows;

		x->leading[r] = random_below(random, 4);
		if (x->place[r] < 0)
			continue;
		rows = local_length(m->rows, m->row_block, m->grid_rows, m->first_row,
				    x->place[r] % m->grid_rows);
		x->leading[r] += rows ? rows : 1;
		if (r != rank)
			continue;
		m->my_row = x->place[r] % m->grid_rows;
		m->my_column = x->place[r] / m->grid_rows;
		m->leading = x->leading[r];
		x->size =
			m->leading * (1 + local_length(m->columns, m->column_block, m->grid_columns,
						       m->first_column, m->my_column));
	}
	x->local = malloc((size_t)x->size * element + 1);
	demand(x->local);
	memset(x->local, UNTOUCHED, (size_t)x->size * element);
}

static void random_matrix(struct random *random, struct matrix *x, int64_t rows, int64_t columns,
			  size_t element)
{
	struct equant_gemr2d_matrix *m = &x->m;

	memset(x, 0, sizeof(*x));
	m->row = random_below(random, 20);
	m->column = random_below(random, 20);
	m->rows = m->row + rows + random_below(random, 20);
	m->columns = m->column + columns + random_below(random, 20);
	m->row_block = 1 + random_below(random, random_below(random, 2) ? 3 : 60);
	m->column_block = 1 + random_below(random, random_below(random, 2) ? 3 : 60);
	m->grid_rows = 1 + (int)random_below(random, ranks);
	m->grid_columns = 1 + (int)random_below(random, ranks / m->grid_rows);
	m->first_row = (int)random_below(random, m->grid_rows);
	m->first_column = (int)random_below(random, m->grid_columns);
	deal_places(random, x);
	lay_out(random, x, element);
}

/*
 * This rank's element (i, j) of the part, by ScaLAPACK's definition of the distribution, or NULL.
 */
static unsigned char *element_at(const struct matrix *x, size_t element, int64_t i, int64_t j)
{
	const struct equant_gemr2d_matrix *m = &x->m;
	int64_t row = m->row + i, column = m->column + j;
	int64_t up = row / m->row_block, left = column / m->column_block;

	if (x->place[rank] < 0 || (up + m->first_row) % m->grid_rows != m->my_row ||
	    (left + m->first_column) % m->grid_columns != m->my_column)
		return NULL;
	row = up / m->grid_rows * m->row_block + row % m->row_block;
	column = left / m->grid_columns * m->column_block + column % m->column_block;
	return x->local + (size_t)(column * m->leading + row) * element;
}

static void fill_element(unsigned char *at, size_t element, int64_t i, int64_t j)
{
	struct random random = random_from((uint64_t)i << 32 | (uint64_t)j);

	for (size_t k = 0; k < element; k++)
		at[k] = (unsigned char)(random_next(&random) % 200);
}

static void fill(struct matrix *x, int64_t rows, int64_t columns, size_t element)
{
	for (int64_t i = 0; i < rows; i++)
		for (int64_t j = 0; j < columns; j++)
			if (element_at(x, element, i, j))
				fill_element(element_at(x, element, i, j), element, i, j);
}

/* Elements of the part as they were filled, and nothing else touched; resets them. */
static void demand_filled(struct matrix *x, int64_t rows, int64_t columns, size_t element)
{
	unsigned char expected[64];

	for (int64_t i = 0; i < rows; i++) {
		for (int64_t j = 0; j < columns; j++) {
			unsigned char *at = element_at(x, element, i, j);

			if (!at)
				continue;
			fill_element(expected, element, i, j);
			if (memcmp(expected, at, element))
				worker_fail_text(__FILE__, __LINE__, "element (%ld, %ld) is wrong",
						 (long)i, (long)j);
			memset(at, UNTOUCHED, element);
		}
	}
	for (int64_t i = 0; i < x->size * (int64_t)element; i++)
		demand_equal(UNTOUCHED, x->local[i]);
}

/* An int from byte @at on, of an element of @extent bytes from byte @low on. */
static MPI_Datatype gapped(MPI_Aint at, MPI_Aint low, MPI_Aint extent)
{
	MPI_Datatype placed, type;

	MPI_Type_create_hindexed_block(1, 1, &at, MPI_INT, &placed);
	MPI_Type_create_resized(placed, low, extent, &type);
	MPI_Type_free(&placed);
	return type;
}

static MPI_Datatype random_type(struct random *random, size_t *element)
{
	static const MPI_Datatype types[] = { MPI_FLOAT, MPI_DOUBLE, MPI_C_FLOAT_COMPLEX,
					      MPI_C_DOUBLE_COMPLEX, MPI_INT };
	long which = random_below(random, 9), at = random_below(random, 20);
	MPI_Aint low, extent;
	MPI_Datatype type;

	if (which < 5)
		MPI_Type_dup(types[which], &type);
	else if (which < 7)
		MPI_Type_contiguous(1 + (int)random_below(random, 40), MPI_CHAR, &type);
	else
		type = gapped(at, 0, at + (MPI_Aint)sizeof(int) + random_below(random, 20));
	MPI_Type_get_extent(type, &low, &extent);
	*element = (size_t)extent;
	return type;
}

/* A part of random matrices, twice. */
static void move_randomly(struct equant_gemr2d_plans *plans, struct random *random)
{
	int64_t rows = 1 + random_below(random, 40), columns = random_below(random, 40);
	struct matrix a, b;
	MPI_Datatype type;
	size_t element;

	type = random_type(random, &element);
	random_matrix(random, &a, rows, columns, element);
	random_matrix(random, &b, rows, columns, element);
	fill(&a, rows, columns, element);
	for (int run = 0; run < 2; run++) {
		demand_equal(0, equant_gemr2d(plans, rows, columns, type, mine(&a), a.local,
					      mine(&b), b.local));
		demand_filled(&b, rows, columns, element);
	}
	demand_filled(&a, rows, columns, element);
	MPI_Type_free(&type);
	free(a.local);
	free(b.local);
}

static void random_matrices(void)
{
	struct equant_gemr2d_plans *plans = equant_gemr2d_plans_new(MPI_COMM_WORLD, 3, 0);
	struct random random = common_random();

	demand(plans);
	for (int round = 0; round < ROUNDS; round++)
		move_randomly(plans, &random);
	demand_equal(0, equant_gemr2d_plans_free(plans));
}

/* Each link another one, and the first ranks behind one port. */
static struct equant_redist_network *random_network(struct random *random)
{
	uint64_t seed = random_next(random);
	struct equant_redist_network *network =
		equant_redist_network_random(ranks, 1e-5, 1e6, 1e8, seed, NULL, 0);
	int behind = (int)random_below(random, ranks + 1);

	demand(network);
	demand_equal(0, equant_redist_network_host(
				network, &(struct equant_redist_host){ 1e7, 2e7 }, NULL, 0));
	for (int r = 0; r < behind; r++)
		demand_equal(0, equant_redist_network_place(network, r, 0, NULL, 0));
	return network;
}

static const char *random_name(struct random *random, const char *(*name_of)(int i))
{
	int count = 0;

	while (name_of(count))
		count++;
	return name_of((int)random_below(random, count));
}

/* A network or none, any scheduler or router, and what a transfer may have besides. */
static struct equant_transfer_options random_options(struct random *random,
						     const struct equant_redist_network *network)
{
	struct equant_transfer_options options = { .sz = sizeof(options) };
	bool known = random_below(random, 2);

	options.network = known ? network : NULL;
	if (known && random_below(random, 2))
		options.router = random_name(random, equant_redist_router_name);
	else if (random_below(random, 2))
		options.scheduler = random_name(random, equant_redist_scheduler_name);
	options.window = (int)random_below(random, 5);
	if (known && random_below(random, 2))
		options.window = EQUANT_TRANSFER_WINDOW_NETWORK;
	options.node = random_below(random, 2) ? EQUANT_TRANSFER_NODE_MESSAGES :
						 EQUANT_TRANSFER_NODE_BEST;
	options.largest = random_below(random, 2) ? 100 : 0;
	return options;
}

/* Names and network are gone when plans are made. */
static void use(struct equant_gemr2d_plans *plans, struct equant_transfer_options options)
{
	char *scheduler = options.scheduler ? strdup(options.scheduler) : NULL;
	char *router = options.router ? strdup(options.router) : NULL;

	options.scheduler = scheduler;
	options.router = router;
	demand_equal(0, equant_gemr2d_plans_use(plans, &options));
	if (scheduler)
		memset(scheduler, '?', strlen(scheduler));
	if (router)
		memset(router, '?', strlen(router));
	free(scheduler);
	free(router);
}

/* Plans have what they were to be made with. */
static void demand_as_said(const struct equant_gemr2d_plans *plans,
			   const struct equant_transfer_options *options)
{
	const struct equant_transfer *transfer = plans->plan[0].transfer;

	if (!transfer) /* there was nothing to move */
		return;
	if (options->node == EQUANT_TRANSFER_NODE_MESSAGES)
		demand_equal(0, equant_transfer_near(transfer));
	if (options->largest)
		demand_equal(options->largest, transfer->largest);
	if (options->window > 0)
		demand_equal(options->window, transfer->window);
}

static void random_options_of_plans(void)
{
	struct equant_gemr2d_plans *plans = equant_gemr2d_plans_new(MPI_COMM_WORLD, 3, 0);
	struct random random = common_random();

	demand(plans);
	for (int round = 0; round < ROUNDS; round++) {
		struct equant_redist_network *network = random_network(&random);
		struct equant_transfer_options options;

		options = random_options(&random, network);
		use(plans, options);
		equant_redist_network_free(network);
		move_randomly(plans, &random);
		demand_as_said(plans, &options);
	}
	demand_equal(0, equant_gemr2d_plans_use(plans, NULL));
	move_randomly(plans, &random);
	demand_equal(0, equant_gemr2d_plans_free(plans));
}

/* Rows in blocks of @block down one column of all ranks. */
static void simple(struct matrix *x, int64_t rows, int64_t columns, int64_t block)
{
	struct random random = random_from(1);

	memset(x, 0, sizeof(*x));
	x->m = (struct equant_gemr2d_matrix){ .rows = rows,
					      .columns = columns,
					      .row_block = block,
					      .column_block = 5,
					      .grid_rows = ranks,
					      .grid_columns = 1 };
	for (int r = 0; r < ranks; r++)
		x->place[r] = r;
	lay_out(&random, x, sizeof(int));
}

/* All of it: @a to @b. */
static int move(struct equant_gemr2d_plans *plans, const struct matrix *a, const struct matrix *b,
		int64_t rows, int64_t columns)
{
	return equant_gemr2d(plans, rows, columns, MPI_INT, mine(a), a->local, mine(b), b->local);
}

/* The last rank is in no grid: what it asks for is always the same. */
static void kept(void)
{
	struct equant_gemr2d_plans *plans = equant_gemr2d_plans_new(MPI_COMM_WORLD, 2, 0);
	struct matrix a, b[3];

	demand(plans);
	ranks--;
	simple(&a, 50, 7, 1);
	for (int i = 0; i < 3; i++)
		simple(&b[i], 50, 7, 2 + i);
	ranks++;
	a.place[ranks - 1] = b[0].place[ranks - 1] = -1;
	b[1].place[ranks - 1] = b[2].place[ranks - 1] = -1;
	for (int i = 0; i < 9; i++) {
		fill(&a, 50, 7, sizeof(int));
		demand_equal(0, move(plans, &a, &b[i % 2], 50, 7));
		demand_filled(&b[i % 2], 50, 7, sizeof(int));
	}
	demand_equal(2, equant_gemr2d_plans_made(plans));
	/* The third takes the place of the one that was not used for longest: b[1]. */
	demand_equal(0, move(plans, &a, &b[2], 50, 7));
	demand_equal(0, move(plans, &a, &b[0], 50, 7));
	demand_equal(3, equant_gemr2d_plans_made(plans));
	demand_equal(0, move(plans, &a, &b[1], 50, 7));
	demand_equal(4, equant_gemr2d_plans_made(plans));
	demand_equal(0, equant_gemr2d_plans_free(plans));

	/* Of one byte only what needs no messages is kept, and without any plans nothing. */
	for (int most = 0; most < 2; most++) {
		plans = equant_gemr2d_plans_new(MPI_COMM_WORLD, most, 1);
		for (int i = 0; i < 3; i++)
			demand_equal(0, move(plans, &a, &b[0], 50, 7));
		demand_equal(most && ranks < 3 ? 1 : 3, equant_gemr2d_plans_made(plans));
		demand_equal(0, equant_gemr2d_plans_free(plans));
	}
	free(a.local);
	for (int i = 0; i < 3; i++)
		free(b[i].local);
}

/* Of files that this process makes from now on. */
static void limit_files(rlim_t size)
{
	struct rlimit limit;

	demand_equal(0, getrlimit(RLIMIT_FSIZE, &limit));
	limit.rlim_cur = size;
	demand_equal(0, setrlimit(RLIMIT_FSIZE, &limit));
}

#define GROWN 3

/*
 * Each plan needs more memory for its messages than the one before, and all are kept.  With
 * @refused the second rank is refused more once and not the next time.
 */
static void grow(int refused)
{
	struct equant_gemr2d_plans *plans = equant_gemr2d_plans_new(MPI_COMM_WORLD, GROWN, 0);
	struct matrix a[GROWN], b[GROWN];
	int64_t rows[GROWN];

	demand(plans);
	for (int i = 0; i < GROWN; i++) {
		rows[i] = 100 * ranks << 2 * i;
		simple(&a[i], rows[i], 7, 1);
		simple(&b[i], rows[i], 7, 2);
	}
	for (int run = 0; run < 3 * GROWN; run++) {
		int i = run % GROWN;

		limit_files(refused && rank == 1 && run == 1 ? 8000 : RLIM_INFINITY);
		fill(&a[i], rows[i], 7, sizeof(int));
		demand_equal(0, move(plans, &a[i], &b[i], rows[i], 7));
		demand_filled(&b[i], rows[i], 7, sizeof(int));
	}
	demand_equal(GROWN, equant_gemr2d_plans_made(plans));
	demand_equal(0, equant_gemr2d_plans_free(plans));
	for (int i = 0; i < GROWN; i++) {
		free(a[i].local);
		free(b[i].local);
	}
}

static void grown(void)
{
	grow(0);
	grow(1);
}

/* Of blocks of @block and of @other elements of @bytes. */
static int window_of(int block, int other, int bytes)
{
	struct equant_gemr2d_plans *plans = equant_gemr2d_plans_new(MPI_COMM_WORLD, 1, 0);
	static char from[100 * 100], to[100 * 100];
	struct matrix a, b;
	MPI_Datatype type;
	int window;

	demand(plans && bytes <= 100);
	MPI_Type_contiguous(bytes, MPI_CHAR, &type);
	simple(&a, 7 * ranks, 1, block);
	simple(&b, 7 * ranks, 1, other);
	demand_equal(0, equant_gemr2d(plans, 7 * ranks, 1, type, &a.m, from, &b.m, to));
	window = plans->plan[0].transfer->window;
	demand_equal(0, equant_gemr2d_plans_free(plans));
	MPI_Type_free(&type);
	free(a.local);
	free(b.local);
	return window;
}

/* 64 bytes, whatever a block has of them. */
static void windows(void)
{
	demand_equal(8, window_of(7, 9, 8));
	demand_equal(8, window_of(9, 7, 8));
	demand_equal(1, window_of(8, 9, 8));
	demand_equal(8, window_of(2, 3, 24));
	demand_equal(1, window_of(4, 3, 24));
	demand_equal(8, window_of(1, 2, 63));
	demand_equal(1, window_of(1, 2, 64));
	demand_equal(1, window_of(1, 2, 100));
}

/* Of what rank 0 has for rank 2 hardly anything goes over a link that is a thousand times as thin as others. */
static void relayed(void)
{
	struct equant_gemr2d_plans *plans = equant_gemr2d_plans_new(MPI_COMM_WORLD, 8, 0);
	struct equant_redist_network *network =
		equant_redist_network_new(ranks, 1e-6, 1e8, NULL, 0);
	struct equant_transfer_options options = { .sz = sizeof(options),
						   .network = network,
						   .router = "relay" };
	int64_t rows = 1000 * ranks, straight = 0, all = 0;
	const struct equant_redist_route *route;
	struct matrix a, b;

	demand(plans && network);
	demand_equal(0, equant_redist_network_set(
				network, &(struct equant_redist_link){ 0, 2, 1e-6, 1e5 }, NULL, 0));
	use(plans, options);
	equant_redist_network_free(network);
	simple(&a, rows, 7, 100);
	simple(&b, rows, 7, 200);
	fill(&a, rows, 7, sizeof(int));
	demand_equal(0, move(plans, &a, &b, rows, 7));
	demand_filled(&b, rows, 7, sizeof(int));
	route = plans->plan[0].transfer->route;
	demand(route);
	for (int64_t i = 0; i < route->count; i++) {
		all += route->legs[i].bytes;
		if (route->legs[i].from == 0 && route->legs[i].to == 2)
			straight += route->legs[i].bytes;
	}
	demand(all > 0 && straight < all / ranks / 100);
	demand_equal(0, equant_gemr2d_plans_free(plans));
	free(a.local);
	free(b.local);
}

/* Both matrices are the same array. */
static void same_array(void)
{
	struct equant_gemr2d_plans *plans = equant_gemr2d_plans_new(MPI_COMM_WORLD, 8, 0);
	int64_t half = 3 * ranks + 1;
	struct matrix a, b;

	demand(plans);
	simple(&a, 2 * half, 6, 2);
	b = a;
	fill(&a, half, 6, sizeof(int));
	demand_equal(0, move(plans, &a, &a, half, 6));
	/* ... that nobody has a part of the columns of, in which blocks and what is behind do not matter. */
	b.m.columns += 5;
	b.m.column_block = 4;
	demand_equal(0, move(plans, &a, &b, half, 6));
	b.m = a.m;
	/* The upper half to the lower one: columns of both lie between each other. */
	b.m.row = half;
	demand_equal(0, move(plans, &a, &b, half, 6));
	for (int64_t i = 0; i < half; i++) {
		for (int64_t j = 0; j < 6; j++) {
			unsigned char *at = element_at(&b, sizeof(int), i, j), expected[4];

			fill_element(expected, sizeof(int), i, j);
			demand(!at || !memcmp(at, expected, sizeof(int)));
			if (at)
				memset(at, UNTOUCHED, sizeof(int));
		}
	}
	demand_filled(&a, half, 6, sizeof(int));

	fill(&a, half, 6, sizeof(int));
	b.m.row = ranks;
	demand_equal(-EINVAL, move(plans, &a, &b, half, 6));
	b.m.row = 0;
	b.m.column = 1;
	demand_equal(-EINVAL, move(plans, &a, &b, half, 4));
	demand_filled(&a, half, 6, sizeof(int));
	demand_equal(0, equant_gemr2d_plans_free(plans));
	free(a.local);
}

/* What the last rank gives for both matrices is wrong; what all others get for it. */
static void wrong(struct equant_gemr2d_plans *plans, struct matrix a, struct matrix b, int others)
{
	int odd = rank == ranks - 1;

	demand_equal(odd ? -EINVAL : others, move(plans, &a, &b, 40, 6));
	demand_equal(odd ? -EINVAL : others, move(plans, &b, &a, 40, 6));
}

#define ONE_WRONG(field, value, others)       \
	do {                                  \
		struct matrix x = a;          \
		if (rank == ranks - 1)        \
			x.m.field = (value);  \
		wrong(plans, x, b, (others)); \
	} while (0)

/* Its length would be more bytes than there are numbers for. */
static void wide_grid(struct equant_gemr2d_plans *plans, struct matrix a, struct matrix b)
{
	struct matrix x = a;

	if (rank == ranks - 1) {
		x.m.rows = x.m.row_block = (int64_t)1 << 42;
		x.m.grid_rows = 1 << 22;
	}
	wrong(plans, x, b, -ECANCELED);
}

static void wrong_matrices(struct equant_gemr2d_plans *plans, struct matrix a, struct matrix b)
{
	struct matrix c;

	wide_grid(plans, a, b);
	ONE_WRONG(row_block, 0, -ECANCELED);
	ONE_WRONG(column_block, -1, -ECANCELED);
	ONE_WRONG(row, 1, -ECANCELED);
	ONE_WRONG(column, -1, -ECANCELED);
	ONE_WRONG(rows, 39, -ECANCELED);
	ONE_WRONG(grid_rows, 0, -ECANCELED);
	ONE_WRONG(my_row, ranks, -ECANCELED);
	ONE_WRONG(first_column, 1, -ECANCELED);
	ONE_WRONG(leading, local_length(40, 3, ranks, 0, rank) - 1, -ECANCELED);
	ONE_WRONG(row_block, 5, -EINVAL);
	ONE_WRONG(column_block, 6, -EINVAL);
	ONE_WRONG(rows, 41, -EINVAL);
	ONE_WRONG(columns, 7, -EINVAL);
	ONE_WRONG(grid_rows, ranks + 1, -ECANCELED);
	ONE_WRONG(grid_columns, 2, -ECANCELED);
	ONE_WRONG(first_row, 1, -EINVAL);
	ONE_WRONG(my_row, 0, -EINVAL); /* two ranks in one place */
	c = a;
	c.place[ranks - 1] = -1; /* and none in another */
	wrong(plans, c, b, -EINVAL);
	c = a;
	c.m.grid_columns = 2;
	demand_equal(-EINVAL, move(plans, &c, &b, 40, 6));
	for (int r = 0; r < ranks; r++)
		c.place[r] = -1;
	demand_equal(-EINVAL, move(plans, &c, &b, 40, 6));
}

static void wrong_calls(struct equant_gemr2d_plans *plans, struct matrix a, struct matrix b)
{
	int odd = rank == ranks - 1;
	struct matrix c = a;

	wrong(plans, (odd ? (struct matrix){ a.m, .local = NULL } : a), b, -ECANCELED);
	c.m.leading = odd ? INT64_MAX / 5 : a.m.leading;
	demand_equal(odd ? -EOVERFLOW : -ECANCELED, move(plans, &c, &b, 40, 6));
	demand_equal(odd ? -EOVERFLOW : -ECANCELED, move(plans, &b, &c, 40, 6));
	demand_equal(-EINVAL, move(plans, &a, &b, 40, odd ? 5 : 6));
	demand_equal(-EINVAL, move(plans, &a, &b, odd ? 0 : 40, 6));
	demand_equal(odd ? -EINVAL : -ECANCELED, move(plans, &a, &b, odd ? -1 : 40, 6));
	demand_equal(-EINVAL, equant_gemr2d(plans, 40, 6, odd ? MPI_FLOAT : MPI_DOUBLE, NULL, NULL,
					    NULL, NULL));
	demand_equal(odd ? -EINVAL : -ECANCELED,
		     equant_gemr2d(plans, 40, 6, odd ? MPI_DATATYPE_NULL : MPI_INT, mine(&a),
				   a.local, mine(&b), b.local));
}

/* On the last rank. */
static void wrong_type(struct equant_gemr2d_plans *plans, const struct matrix *a,
		       const struct matrix *b, MPI_Datatype type)
{
	int odd = rank == ranks - 1;

	demand_equal(odd ? -EINVAL : -ECANCELED,
		     equant_gemr2d(plans, 40, 6, odd ? type : MPI_INT, mine(a), a->local, mine(b),
				   b->local));
	MPI_Type_free(&type);
}

/* Elements that would not lie one after the other, from where the array begins. */
static void wrong_types(struct equant_gemr2d_plans *plans, const struct matrix *a,
			const struct matrix *b)
{
	MPI_Datatype nothing;

	wrong_type(plans, a, b, gapped(4, 4, 4));
	wrong_type(plans, a, b, gapped(0, -4, 8));
	wrong_type(plans, a, b, gapped(-4, 0, 4));
	wrong_type(plans, a, b, gapped(0, 0, 3));
	wrong_type(plans, a, b, gapped(1, 0, 4));
	MPI_Type_contiguous(0, MPI_INT, &nothing);
	wrong_type(plans, a, b, nothing);
}

static void wrong_plans(void)
{
	int odd = rank == ranks - 1;
	MPI_Comm group, inter;

	errno = 0;
	demand(!equant_gemr2d_plans_new(MPI_COMM_NULL, 8, 0));
	demand_equal(EINVAL, errno);
	MPI_Comm_split(MPI_COMM_WORLD, odd, 0, &group);
	MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, odd ? 0 : ranks - 1, 0, &inter);
	demand(!equant_gemr2d_plans_new(inter, 8, 0));
	demand_equal(EINVAL, errno);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&group);
	demand(!equant_gemr2d_plans_new(MPI_COMM_WORLD, odd ? EQUANT_GEMR2D_PLANS + 1 : 8, 0));
	demand_equal(odd ? EINVAL : ECANCELED, errno);
	demand(!equant_gemr2d_plans_new(MPI_COMM_WORLD, INT_MIN, 0));
	demand_equal(EINVAL, errno);
	demand(!equant_gemr2d_plans_new(MPI_COMM_WORLD, 8, odd ? 5 : 6));
	demand_equal(EINVAL, errno);
}

/* What is wrong on the last rank is an error on all, and plans are made as before. */
static void wrong_options(struct equant_gemr2d_plans *plans,
			  const struct equant_transfer_options *wrong, int others)
{
	int odd = rank == ranks - 1;

	demand_equal(odd ? -EINVAL : others, equant_gemr2d_plans_use(plans, odd ? wrong : NULL));
}

static void options_that_cannot_be(struct equant_gemr2d_plans *plans)
{
	struct equant_redist_network *few = equant_redist_network_new(ranks - 1, 0, 1, NULL, 0);
	struct equant_redist_network *all = equant_redist_network_new(ranks, 0, 1, NULL, 0);
	struct equant_redist_array array = { .dimensions = 1, .extent = { 4 } };
	struct equant_transfer *other;
	int list[MOST] = { 0 };

	array.from[0] = array.to[0] = (struct equant_redist_cyclic){ 1, 1, 0, 0 };
	other = equant_transfer_new(MPI_COMM_WORLD, &array, 1, NULL);
	demand(other);

#define WRONG(others, ...)                                                                 \
	wrong_options(plans,                                                               \
		      &(struct equant_transfer_options){                                   \
			      .sz = sizeof(struct equant_transfer_options), __VA_ARGS__ }, \
		      others)
	WRONG(-ECANCELED, .senders = list);
	WRONG(-ECANCELED, .receivers = list);
	WRONG(-ECANCELED, .group = EQUANT_TRANSFER_SENDS);
	WRONG(-ECANCELED, .beside = other);
	WRONG(-ECANCELED, .network = few);
	WRONG(-ECANCELED, .router = "relay");
	WRONG(-ECANCELED, .scheduler = "slow");
	WRONG(-ECANCELED, .window = -2);
	WRONG(-ECANCELED, .window = EQUANT_TRANSFER_WINDOW_NETWORK);
	WRONG(-ECANCELED, .node = 7);
	WRONG(-EINVAL, .network = all);
	WRONG(-EINVAL, .scheduler = "direct");
	WRONG(-EINVAL, .largest = 4096);
	equant_redist_network_free(few);
	equant_redist_network_free(all);
	demand_equal(0, equant_transfer_free(other));
}

/* All need a byte at least. */
static void too_little_memory(struct equant_gemr2d_plans *plans, const struct matrix *a,
			      struct matrix *b)
{
	struct equant_transfer_options options = { .sz = sizeof(options), .memory = 1 };

	demand_equal(0, equant_gemr2d_plans_use(plans, &options));
	demand_equal(-ENOBUFS, move(plans, a, b, 40, 6));
	demand_equal(0, equant_gemr2d_plans_use(plans, NULL));
	demand_equal(0, move(plans, a, b, 40, 6));
	demand_filled(b, 40, 6, sizeof(int));
}

static void misuse(void)
{
	struct equant_gemr2d_plans *plans = equant_gemr2d_plans_new(MPI_COMM_WORLD, 8, 0);
	struct matrix a, b;

	demand(plans);
	simple(&a, 40, 6, 3);
	simple(&b, 40, 6, 4);
	fill(&a, 40, 6, sizeof(int));
	/* A plan is kept, so that a rank that errs is not the only one that looks further. */
	demand_equal(0, move(plans, &a, &b, 40, 6));
	demand_filled(&b, 40, 6, sizeof(int));
	wrong_matrices(plans, a, b);
	wrong_calls(plans, a, b);
	wrong_types(plans, &a, &b);
	demand_filled(&b, 0, 0, sizeof(int));
	demand_equal(0, equant_gemr2d(plans, 0, 6, MPI_INT, NULL, NULL, mine(&b), b.local));
	demand_equal(0, equant_gemr2d(plans, 6, 0, MPI_INT, mine(&a), a.local, NULL, NULL));
	demand_equal(0, equant_gemr2d(plans, rank % 2 ? 0 : 6, rank % 2 ? 5 : 0, MPI_INT, mine(&a),
				      a.local, mine(&b), b.local));
	demand_filled(&b, 0, 0, sizeof(int));
	demand_equal(0, move(plans, &a, &b, 40, 6));
	demand_filled(&b, 40, 6, sizeof(int));
	demand_equal(1, equant_gemr2d_plans_made(plans));
	options_that_cannot_be(plans);
	demand_equal(0, move(plans, &a, &b, 40, 6));
	demand_filled(&b, 40, 6, sizeof(int));
	demand_equal(1, equant_gemr2d_plans_made(plans));
	too_little_memory(plans, &a, &b);
	demand_equal(0, equant_gemr2d_plans_free(plans));

	demand_equal(0, equant_gemr2d_plans_free(NULL));
	wrong_plans();
	free(a.local);
	free(b.local);
}

int main(int argc, char **argv)
{
	static const struct worker_case cases[] = {
		CASE(random_matrices),
		CASE(random_options_of_plans),
		CASE(kept),
		CASE(grown),
		CASE(same_array),
		CASE(windows),
		CASE(relayed),
		CASE(misuse),
	};

	return worker_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
