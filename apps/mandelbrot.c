// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * mandelbrot - the set on [-2, 2] x [-2, 2] (Chronopoulos, Ni, Penmatsa, section II), its
 * columns or rectangles handed out to ranks that ask for them.
 *
 * What a column costs is known only when it is computed.  With --scheme static each rank has a
 * block of columns and nobody asks.  The image is put together on rank 0, which verifies it
 * against the sequential one and prints its checksum.
 */
#include <equant/self.h>
#include <errno.h>
#if EQUANT_HAVE_PNG
#include <png.h>
#endif

#include "app.h"
#include "mandelbrot.h"

struct mandelbrot {
	long n;
	long limit;
	const char *scheme;
	const char *engine;
	long chunk;
	long minimum;
	int rectangles;
	int power;
	int fixed;
	int verify;
	int quiet;
	const char *png;
	int rank;
	int ranks;
	uint32_t *levels; /* column by column */
	double computing;
	long chunks;
};

static void usage(FILE *out)
{
	fputs("usage: mandelbrot [-n SIZE] [-m MAXITER] [--scheme NAME] [--rectangles] [--chunk K]\n"
	      "                  [--minimum L] [--power V] [--fixed] [--engine NAME]\n"
	      "                  [--png FILE] [--no-verify] [--quiet]\n"
	      "  -n SIZE      columns and rows (default 1000)\n"
	      "  -m MAXITER   steps at most (default 1000)\n"
	      "  --scheme NAME  how they are handed out; static: blocks of columns (default dtss)\n"
	      "  --rectangles   instead of columns\n"
	      "  --chunk K, --minimum L  of the scheme\n"
	      "  --power V    of each rank's CPU; --fixed: whatever share of it the rank has\n"
	      "  --engine NAME  who hands out: node, master, two-level, tree or auto (default)\n"
	      "  --png FILE   the image\n",
	      out);
}

/* All that there are, and no scheme at all. */
static const char *scheme_name(int n)
{
	return n ? equant_scheme_name(n - 1) : "static";
}

static void check_static(const struct mandelbrot *m)
{
	const char *option = m->engine	   ? "--engine" :
			     m->rectangles ? "--rectangles" :
			     m->chunk	   ? "--chunk" :
			     m->minimum	   ? "--minimum" :
			     m->power	   ? "--power" :
			     m->fixed	   ? "--fixed" :
					     NULL;

	if (!option || strcmp(m->scheme, "static"))
		return;
	fprintf(stderr, "mandelbrot: %s: nothing is handed out by --scheme static\n", option);
	app_exit("mandelbrot", 2);
}

static void check_png(const struct mandelbrot *m)
{
	if (EQUANT_HAVE_PNG && m->n)
		return;
	fprintf(stderr, "mandelbrot: --png: %s\n",
		EQUANT_HAVE_PNG ? "there is no image of -n 0" : "built without libpng");
	app_exit("mandelbrot", 2);
}

static void parse(struct mandelbrot *m, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "scheme", required_argument, NULL, 's' },
		{ "rectangles", no_argument, NULL, 'r' },
		{ "chunk", required_argument, NULL, 'k' },
		{ "minimum", required_argument, NULL, 'l' },
		{ "power", required_argument, NULL, 'v' },
		{ "fixed", no_argument, NULL, 'f' },
		{ "engine", required_argument, NULL, 'e' },
		{ "png", required_argument, NULL, 'g' },
		{ "no-verify", no_argument, NULL, 'V' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "n:m:h", longs, NULL)) != -1) {
		if (c == 'n')
			m->n = app_number("mandelbrot", "-n", optarg, 0, 16000);
		else if (c == 'm')
			m->limit = app_number("mandelbrot", "-m", optarg, 1, 1000000000);
		else if (c == 's')
			m->scheme = app_name("mandelbrot", "--scheme", optarg, scheme_name);
		else if (c == 'k')
			m->chunk = app_number("mandelbrot", "--chunk", optarg, 1, 16000);
		else if (c == 'l')
			m->minimum = app_number("mandelbrot", "--minimum", optarg, 1, 16000);
		else if (c == 'v')
			m->power = (int)app_number("mandelbrot", "--power", optarg, 1, 1000);
		else if (c == 'e')
			m->engine = optarg;
		else if (c == 'g')
			m->png = optarg;
		else if (c == 'h' || c == '?')
			app_help("mandelbrot", usage, c);
		m->rectangles |= c == 'r';
		m->fixed |= c == 'f';
		m->verify &= c != 'V';
		m->quiet |= c == 'q';
	}
	app_no_more("mandelbrot", argc, argv);
	check_static(m);
	if (m->png)
		check_png(m);
}

static void compute(const struct mandelbrot *m, uint32_t *levels, const int64_t *first,
		    const int64_t *extents)
{
	set_compute(levels, m->n, m->limit, first, extents);
}

static int compute_chunk(struct mandelbrot *m, struct equant_self *self,
			 const struct equant_self_chunk *chunk)
{
	int64_t first[2] = { chunk->first, 0 }, extents[2] = { chunk->count, m->n };
	int error = 0;

	m->computing -= MPI_Wtime();
	if (!m->rectangles)
		compute(m, m->levels, first, extents);
	for (int64_t i = 0; m->rectangles && i < chunk->count && !error; i++) {
		error = equant_self_box(self, chunk->first + i, first, extents);
		if (!error)
			compute(m, m->levels, first, extents);
	}
	m->computing += MPI_Wtime();
	m->chunks++;
	return error;
}

static int hand_out(struct mandelbrot *m, struct equant *eq, double *elapsed)
{
	const struct equant_chunks_options loop = {
		.sz = sizeof(loop),
		.scheme = m->scheme,
		.dimensions = m->rectangles ? 2 : 1,
		.extents = { m->n, m->n },
		.chunk = m->chunk,
		.minimum = m->minimum,
	};
	const struct equant_self_options options = {
		.sz = sizeof(options),
		.loop = &loop,
		.power = m->power,
		.fixed = m->fixed,
		.engine = m->engine,
	};
	struct equant_self_chunk chunk = { 0 };
	struct equant_self *self;
	int got, error;

	self = equant_self_new(eq, &options);
	if (!self)
		return -errno;
	MPI_Barrier(MPI_COMM_WORLD);
	*elapsed = -MPI_Wtime();
	while ((got = equant_self_next(self, &chunk)) == 1) {
		error = compute_chunk(m, self, &chunk);
		if (error)
			equant_self_fail(self, error);
	}
	error = equant_self_free(self);
	*elapsed += MPI_Wtime();
	return error;
}

static int run(struct mandelbrot *m, double *elapsed)
{
	struct equant *eq;
	int error, closed;

	error = equant_open(&eq, MPI_COMM_WORLD, NULL);
	if (error)
		return error;
	error = hand_out(m, eq, elapsed);
	closed = equant_close(eq);
	return error ? error : closed;
}

static int run_static(struct mandelbrot *m, double *elapsed)
{
	int64_t from = m->n * m->rank / m->ranks, to = m->n * (m->rank + 1) / m->ranks;
	struct equant_self_chunk block = { .first = from, .count = to - from };

	MPI_Barrier(MPI_COMM_WORLD);
	*elapsed = -MPI_Wtime();
	compute_chunk(m, NULL, &block);
	MPI_Barrier(MPI_COMM_WORLD);
	*elapsed += MPI_Wtime();
	return 0;
}

/* Nobody else has a rank's cells, which are at least 1 where computed. */
static void gather(struct mandelbrot *m)
{
	for (long column = 0; column < m->n; column++) {
		uint32_t *at = &m->levels[column * m->n];

		MPI_Reduce(m->rank ? at : MPI_IN_PLACE, at, (int)m->n, MPI_UINT32_T, MPI_SUM, 0,
			   MPI_COMM_WORLD);
	}
}

/* FNV-1a */
static uint32_t checksum(const struct mandelbrot *m)
{
	uint32_t sum = 0x811c9dc5u;

	for (long i = 0; i < m->n * m->n; i++)
		for (int byte = 0; byte < 4; byte++)
			sum = (sum ^ (m->levels[i] >> 8 * byte & 0xff)) * 0x01000193u;
	return sum;
}

static int verify(const struct mandelbrot *m)
{
	const int64_t first[2] = { 0, 0 }, extents[2] = { m->n, m->n };
	uint32_t *expected = app_zeros("mandelbrot", m->n * m->n, sizeof(*expected));
	long wrong = 0;

	compute(m, expected, first, extents);
	for (long i = 0; i < m->n * m->n; i++)
		wrong += expected[i] != m->levels[i];
	free(expected);
	if (wrong)
		fprintf(stderr, "mandelbrot: %ld of %ld points are wrong\n", wrong, m->n * m->n);
	return wrong ? 1 : 0;
}

#if EQUANT_HAVE_PNG
/* Not by its path, which libpng removes after an error, whatever it is.  NULL, or what is wrong. */
static const char *write_gray(png_image *png, const char *path, const unsigned char *gray)
{
	FILE *file = fopen(path, "wb");
	int written;

	if (!file)
		return strerror(errno);
	written = png_image_write_to_stdio(png, file, 0, gray, 0, NULL);
	if (fclose(file) && written)
		return strerror(errno);
	return written ? NULL : png->message;
}
#endif

/* Black inside; outside the brighter, the earlier it left. */
static int write_png(const struct mandelbrot *m)
{
#if EQUANT_HAVE_PNG
	png_image png = {
		.version = PNG_IMAGE_VERSION,
		.width = (png_uint_32)m->n,
		.height = (png_uint_32)m->n,
		.format = PNG_FORMAT_GRAY,
	};
	unsigned char *gray = malloc((size_t)(m->n * m->n) + 1);
	const char *error;

	for (long row = 0; gray && row < m->n; row++) {
		for (long column = 0; column < m->n; column++) {
			uint32_t steps = m->levels[column * m->n + row];

			gray[row * m->n + column] =
				(unsigned char)(steps < m->limit ? 55 + 200 / steps : 0);
		}
	}
	error = gray ? write_gray(&png, m->png, gray) : "no memory";
	free(gray);
	if (!error)
		return 0;
	fprintf(stderr, "mandelbrot: %s: %s\n", m->png, error);
#endif
	return m->png != NULL;
}

static void print(const struct mandelbrot *m, double elapsed, long chunks, const char *verified)
{
	printf("mandelbrot: n=%ld maxiter=%ld scheme=%s%s ranks=%d chunks=%ld elapsed=%.6f s checksum=%08x %s\n",
	       m->n, m->limit, m->scheme, m->rectangles ? " rectangles" : "", m->ranks, chunks,
	       elapsed, checksum(m), verified);
}

int main(int argc, char **argv)
{
	struct mandelbrot m = { .n = 1000, .limit = 1000, .scheme = "dtss", .verify = 1 };
	double elapsed = 0, longest = 0;
	int error, wrong = 0;
	long chunks = 0;

	app_begin("mandelbrot", &argc, &argv);
	parse(&m, argc, argv);
	app_go_on();
	MPI_Comm_rank(MPI_COMM_WORLD, &m.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &m.ranks);
	m.levels = app_zeros("mandelbrot", m.n * m.n, sizeof(*m.levels));
	error = strcmp(m.scheme, "static") ? run(&m, &elapsed) : run_static(&m, &elapsed);
	if (error) {
		fprintf(stderr, "mandelbrot: rank %d: %s\n", m.rank, strerror(-error));
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	MPI_Reduce(&elapsed, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	MPI_Reduce(&m.chunks, &chunks, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
	gather(&m);
	if (!m.rank && m.verify)
		wrong = verify(&m);
	if (!m.rank && m.png)
		error = write_png(&m);
	if (!m.rank && !m.quiet)
		print(&m, longest, chunks,
		      wrong    ? "WRONG" :
		      m.verify ? "verified" :
				 "not verified");
	free(m.levels);
	return app_end("mandelbrot", wrong || error);
}
