// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Writing networks as network_read.c reads them. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "redist/redist_internal.h"
#include "text/text.h"

static void put_setting(FILE *out, const char *word, double value)
{
	fprintf(out, " %s", word);
	equant_text_put_number(out, value);
}

static void put_link(FILE *out, const struct equant_redist_link *link,
		     const struct equant_redist_link *usual)
{
	fprintf(out, "link %d %d", link->from, link->to);
	if (link->startup != usual->startup)
		put_setting(out, "startup", link->startup);
	if (link->bandwidth != usual->bandwidth)
		put_setting(out, "bandwidth", link->bandwidth);
	fputc('\n', out);
}

static bool is_usual(const struct equant_redist_link *link, const struct equant_redist_link *usual)
{
	return link->startup == usual->startup && link->bandwidth == usual->bandwidth;
}

static void put_host(FILE *out, const struct equant_redist_network *network, int host)
{
	const struct equant_redist_host *port = &network->host[host];
	int count = 0;

	for (int r = 0; r < network->ranks; r++)
		count += network->places[r] == host;
	/* A host that nobody is on changes nothing, and has no line. */
	if (!count)
		return;
	fputs("host", out);
	if (isfinite(port->send))
		put_setting(out, "send", port->send);
	if (isfinite(port->receive))
		put_setting(out, "receive", port->receive);
	fputs(" ranks", out);
	for (int r = 0; r < network->ranks; r++)
		if (network->places[r] == host)
			fprintf(out, " %d", r);
	fputc('\n', out);
}

static int check(const struct equant_redist_network *network, char *why, size_t why_size)
{
	bool finite = isfinite(network->usual.bandwidth);

	for (int64_t i = 0; i < network->count; i++)
		finite = finite && isfinite(network->links[i].bandwidth);
	return finite ? 0 :
			equant_redist_refuse(-EINVAL, why, why_size,
					     "a link with infinite bandwidth cannot be written");
}

int equant_redist_network_write(const char *path, const struct equant_redist_network *network,
				char *why, size_t why_size)
{
	int error = check(network, why, why_size);
	FILE *out;

	if (error)
		return error;
	out = strcmp(path, "-") ? fopen(path, "we") : stdout;
	if (!out) {
		error = -errno;
		return equant_redist_refuse(error, why, why_size, "%s: %s", path, strerror(-error));
	}
	fprintf(out, "ranks %d\nusual", network->ranks);
	put_setting(out, "startup", network->usual.startup);
	put_setting(out, "bandwidth", network->usual.bandwidth);
	fputc('\n', out);
	for (int64_t i = 0; i < network->count; i++)
		if (!is_usual(&network->links[i], &network->usual))
			put_link(out, &network->links[i], &network->usual);
	for (int h = 0; h < network->hosts; h++)
		put_host(out, network, h);
	error = equant_text_close(out);
	return error ? equant_redist_refuse(error, why, why_size, "%s: %s", path,
					    strerror(-error)) :
		       0;
}
