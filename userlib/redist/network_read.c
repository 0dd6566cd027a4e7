// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Reading networks: one thing per line, words separated by blanks, # begins a comment.
 *
 *	ranks N
 *	usual [startup T] bandwidth B
 *	link FROM TO [startup T] [bandwidth B]
 *	host [send B] [receive B] ranks RANK...
 *
 * Seconds, and bytes per second.  What a link does not say is as usual, what a host does not say
 * has no limit.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "redist/redist_internal.h"
#include "text/text.h"

/**
 * struct reader - a network that is being read
 * @text: where it has got to
 * @ranks: 0 before they are known
 * @network: NULL before what is usual is known
 */
struct reader {
	struct equant_text text;
	long ranks;
	struct equant_redist_network *network;
};

/* A word, and where the number after it goes. */
struct setting {
	const char *word;
	double *value;
	bool zero; /* may it be 0? */
	bool given;
};

/* Two settings, each at most once, up to the end of the line or to @stop. */
static int read_settings(struct reader *reader, struct setting settings[2], const char *stop)
{
	const char *word;
	int error = 0;

	while (!error && (word = equant_text_word(&reader->text)) &&
	       (!stop || strcmp(word, stop))) {
		struct setting *s = !strcmp(word, settings[0].word) ? &settings[0] : &settings[1];

		if (strcmp(word, s->word))
			return equant_text_refuse(&reader->text, word, "unexpected");
		if (s->given)
			return equant_text_refuse(&reader->text, word, "a second time");
		s->given = true;
		error = equant_text_number(&reader->text, false, s->value);
		if (!error && !s->zero && *s->value <= 0)
			error = equant_text_refuse(&reader->text, reader->text.last,
						   "expected a number above 0");
	}
	return error;
}

static int read_link_settings(struct reader *reader, struct equant_redist_link *link, bool *given)
{
	struct setting settings[2] = {
		{ .word = "bandwidth", .value = &link->bandwidth },
		{ .word = "startup", .value = &link->startup, .zero = true },
	};
	int error = read_settings(reader, settings, NULL);

	*given = settings[0].given;
	return error;
}

static int need_network(const struct reader *reader)
{
	return reader->network ? 0 :
				 equant_text_refuse(&reader->text, reader->text.last,
						    "ranks and usual must come before this");
}

static int read_ranks(struct reader *reader)
{
	int error;

	if (reader->ranks)
		return equant_text_refuse(&reader->text, reader->text.last, "a second time");
	error = equant_text_whole(&reader->text, 1, EQUANT_REDIST_PROCESSES, &reader->ranks);
	return error ? error : equant_text_end(&reader->text);
}

static int read_usual(struct reader *reader)
{
	struct equant_redist_link usual = { 0 };
	bool given;
	int error;

	if (reader->network)
		return equant_text_refuse(&reader->text, "usual", "a second time");
	if (!reader->ranks)
		return equant_text_refuse(&reader->text, "usual", "ranks must come before this");
	error = read_link_settings(reader, &usual, &given);
	if (error)
		return error;
	if (!given)
		return equant_text_refuse(&reader->text, "usual", "there is no bandwidth");
	reader->network = equant_redist_network_new((int)reader->ranks, usual.startup,
						    usual.bandwidth, NULL, 0);
	return reader->network ? 0 : equant_text_fail(&reader->text, -errno);
}

static int read_link(struct reader *reader)
{
	struct equant_redist_link link;
	long from, to;
	bool given;
	int error = need_network(reader);

	if (!error)
		error = equant_text_whole(&reader->text, 0, reader->ranks - 1, &from);
	if (!error)
		error = equant_text_whole(&reader->text, 0, reader->ranks - 1, &to);
	if (error)
		return error;
	link = reader->network->usual;
	link.from = (int)from;
	link.to = (int)to;
	error = read_link_settings(reader, &link, &given);
	if (!error && equant_redist_network_add(reader->network, &link))
		error = equant_text_fail(&reader->text, -ENOMEM);
	return error;
}

/* The ranks that are on host @host, up to the end of the line. */
static int read_places(struct reader *reader, int host)
{
	const char *word;
	long rank;
	int count = 0;

	while ((word = equant_text_word(&reader->text))) {
		int error = equant_text_to_whole(&reader->text, word, 0, reader->ranks - 1, &rank);

		if (error)
			return error;
		if (equant_redist_network_place(reader->network, (int)rank, host, NULL, 0))
			return equant_text_refuse(&reader->text, word, "is on another host");
		count++;
	}
	return count ? 0 : equant_text_refuse(&reader->text, "host", "there are no ranks on it");
}

static int read_host(struct reader *reader)
{
	struct equant_redist_host host = { INFINITY, INFINITY };
	struct setting settings[2] = {
		{ .word = "send", .value = &host.send },
		{ .word = "receive", .value = &host.receive },
	};
	int number, error = need_network(reader);

	if (!error)
		error = read_settings(reader, settings, "ranks");
	if (error)
		return error;
	number = equant_redist_network_host(reader->network, &host, NULL, 0);
	return number < 0 ? equant_text_fail(&reader->text, number) : read_places(reader, number);
}

static const struct {
	const char *word;
	int (*read)(struct reader *reader);
} lines[] = {
	{ "ranks", read_ranks },
	{ "usual", read_usual },
	{ "link", read_link },
	{ "host", read_host },
	{ 0 },
};

static int read_line(void *to, const char *word)
{
	for (int i = 0; lines[i].word; i++)
		if (!strcmp(word, lines[i].word))
			return lines[i].read(to);
	return equant_text_refuse(&((struct reader *)to)->text, word, "no such word begins a line");
}

static int finish_links(struct equant_redist_network *network, const char *path, char *why,
			size_t why_size)
{
	const struct equant_redist_link *twice;

	equant_redist_network_sort(network);
	twice = equant_redist_network_twice(network);
	return twice ? equant_redist_refuse(-EINVAL, why, why_size,
					    "%s: the link from rank %d to rank %d a second time",
					    path, twice->from, twice->to) :
		       0;
}

struct equant_redist_network *equant_redist_network_read(const char *path, char *why,
							 size_t why_size)
{
	struct reader reader = { .text = { .path = path, .why = why, .why_size = why_size } };
	int error = equant_text_file(&reader.text, read_line, &reader);

	if (!error && !reader.network)
		error = equant_redist_refuse(-EINVAL, why, why_size,
					     "%s: ranks or usual is missing", path);
	if (!error)
		error = finish_links(reader.network, path, why, why_size);
	if (error) {
		equant_redist_network_free(reader.network);
		errno = -error;
		return NULL;
	}
	return reader.network;
}
