// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Reading back what a rank has left. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <equant/profile.h>

#include "core/say.h"

static const char *time_fault(const struct equant_profile_time *time)
{
	if (time->run_ns > time->wall_ns || time->wait_ns > time->wall_ns - time->run_ns)
		return "parts of a time are more than all of it";
	return NULL;
}

static const char *fault(const struct equant_profile *profile)
{
	const char *text;

	if (profile->magic != EQUANT_PROFILE_MAGIC)
		return "not a profile";
	if (profile->size != sizeof(*profile))
		return "written by another version";
	if (profile->ranks < 1)
		return "the number of ranks is less than 1";
	if (profile->rank < 0 || profile->rank >= profile->ranks)
		return "the rank is not one of the ranks";
	if (!memchr(profile->probe, '\0', sizeof(profile->probe)))
		return "the probe's name is not terminated";
	if (!memchr(profile->host, '\0', sizeof(profile->host)))
		return "the host's name is not terminated";
	if (!memchr(profile->job, '\0', sizeof(profile->job)))
		return "the job's name is not terminated";
	if (!memchr(profile->call, '\0', sizeof(profile->call)))
		return "the call's name is not terminated";
	if (!(profile->call_ns >= 0 && profile->call_ns < 1e9))
		return "what a call costs is no time";
	text = time_fault(&profile->outside);
	return text ? text : time_fault(&profile->inside);
}

int equant_profile_load(const char *path, struct equant_profile *profile, char *why,
			size_t why_size)
{
	/* Without waiting for who might write into a pipe. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	const char *text;
	ssize_t length;
	char more;
	int error;

	length = fd < 0 ? -1 : read(fd, profile, sizeof(*profile));
	if (length == sizeof(*profile))
		length += read(fd, &more, 1);
	error = errno;
	if (fd >= 0)
		close(fd);
	if (length < 0) {
		equant_say(why, why_size, "%s: %s", path, strerror(error));
		return -error;
	}
	if (length < (ssize_t)sizeof(*profile))
		text = "shorter than a profile";
	else if (length > (ssize_t)sizeof(*profile))
		text = "longer than a profile";
	else
		text = fault(profile);
	if (!text)
		return 0;
	equant_say(why, why_size, "%s: %s", path, text);
	return -EPROTO;
}
