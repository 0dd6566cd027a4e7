// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Opening /dev/equant.  What is there under that name may be something else.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/say.h"
#include "probe/device.h"

static int explain_open(int error, char *why, size_t why_size)
{
	const char *text = strerror(-error);

	if (error == -ENODEV) {
		text = "the kernel module is being unloaded";
	} else if (error == -ENOENT || error == -ENXIO) {
		text = "the kernel module is not loaded (root: modprobe equant)";
		error = -ENODEV;
	} else if (error == -EACCES || error == -EPERM) {
		text = "no access (its group may use it)";
	}
	equant_say(why, why_size, EQUANT_DEVICE ": %s", text);
	return error;
}

int equant_device_check(const struct equant_info *info, char *why, size_t why_size)
{
	if (info->version == EQUANT_KMOD_VERSION && info->abi_version == EQUANT_ABI_VERSION &&
	    info->record_size == EQUANT_RECORD_SIZE &&
	    info->event_size == sizeof(struct equant_kmod_event))
		return 0;
	equant_say(
		why, why_size,
		"the loaded module has version %u, ABI version %u, records of %u and events of %u bytes; expected %u, %u, %u and %zu",
		info->version, info->abi_version, info->record_size, info->event_size,
		EQUANT_KMOD_VERSION, EQUANT_ABI_VERSION, EQUANT_RECORD_SIZE,
		sizeof(struct equant_kmod_event));
	return -EPROTO;
}

/* A module whose structure has another size has another request number. */
static int ask(int fd, struct equant_info *info, char *why, size_t why_size)
{
	struct stat st;
	int ret;

	if (fstat(fd, &st) || !S_ISCHR(st.st_mode)) {
		equant_say(why, why_size, EQUANT_DEVICE " is no device");
		return -ENODEV;
	}
	if (!ioctl(fd, EQUANT_IOC_INFO, info))
		return equant_device_check(info, why, why_size);
	ret = -errno;
	if (ret == -ENOTTY || ret == -EINVAL) {
		equant_say(why, why_size,
			   EQUANT_DEVICE
			   " is another device, or the module has another version than %u",
			   EQUANT_KMOD_VERSION);
		return -EPROTO;
	}
	equant_say(why, why_size, EQUANT_DEVICE ": %s", strerror(-ret));
	return ret;
}

int equant_device_open(int flags, struct equant_info *info, char *why, size_t why_size)
{
	int fd, ret;

	/* What is no device must not be waited for. */
	fd = open(EQUANT_DEVICE, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
	if (fd < 0)
		return explain_open(-errno, why, why_size);
	ret = ask(fd, info, why, why_size);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

int equant_device_refused(int error, char *why, size_t why_size)
{
	const char *text = strerror(-error);

	if (error == -EUSERS)
		text = "all records of the module are taken";
	else if (error == -EDQUOT)
		text = "this user has all the records one user may have";
	else if (error == -EBUSY)
		text = "the thread is attached through as many files as a user may have it";
	else if (error == -ENODEV)
		text = "the module is being unloaded";
	equant_say(why, why_size, "%s", text);
	return error;
}
