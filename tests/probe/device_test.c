// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What may be at /dev/equant instead of the kernel module's device.
 */
#include <errno.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <equant/probe.h>
#include <equant/watch.h>

#include "kselftest_harness.h"
#include "libload.h"
#include "probe/device.h"

#define NOBODY 65534
#define NULL_DEVICE makedev(1, 3)
#define UNUSED_DEVICE makedev(240, 255) /* a major number for experiments */

/* An own /dev, that has what a test puts there. */
FIXTURE(device)
{
	char why[512];
	int descriptors;
};

FIXTURE_SETUP(device)
{
	int ret = private_mounts();

	if (ret == -EPERM)
		SKIP(return, "needs root: a mount namespace of its own");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, mount("none", "/dev", "tmpfs", 0, NULL));
	self->descriptors = count_descriptors();
}

FIXTURE_TEARDOWN(device)
{
}

#define EXPECT_REFUSED(error, text)                                                       \
	do {                                                                              \
		errno = 0;                                                                \
		EXPECT_EQ(NULL, equant_probe_open("kmod", self->why, sizeof(self->why))); \
		EXPECT_EQ(error, errno);                                                  \
		EXPECT_EQ(&self->why[0], strstr(self->why, "kmod: not available: "));     \
		EXPECT_NE(NULL, strstr(self->why, text))                                  \
		{                                                                         \
			TH_LOG("\"%s\" not in \"%s\"", text, self->why);                  \
		}                                                                         \
		EXPECT_EQ(self->descriptors, count_descriptors());                        \
	} while (0)

TEST_F(device, no_device_means_that_the_module_is_not_loaded)
{
	EXPECT_REFUSED(ENODEV, "not loaded (root: modprobe equant)");
}

TEST_F(device, a_device_without_a_driver_means_the_same)
{
	if (mknod(EQUANT_DEVICE, S_IFCHR | 0666, UNUSED_DEVICE))
		SKIP(return, "mknod: %s", strerror(errno));
	EXPECT_REFUSED(ENODEV, "not loaded");
}

TEST_F(device, another_device_is_refused)
{
	if (mknod(EQUANT_DEVICE, S_IFCHR | 0666, NULL_DEVICE))
		SKIP(return, "mknod: %s", strerror(errno));
	EXPECT_REFUSED(EPROTO, "is another device, or the module has another version");
}

TEST_F(device, a_file_is_refused)
{
	ASSERT_EQ(0, mknod(EQUANT_DEVICE, S_IFREG | 0666, 0));
	EXPECT_REFUSED(ENODEV, EQUANT_DEVICE " is no device");
}

TEST_F(device, a_pipe_is_refused_and_not_waited_for)
{
	ASSERT_EQ(0, mkfifo(EQUANT_DEVICE, 0666));
	EXPECT_REFUSED(ENODEV, EQUANT_DEVICE " is no device");
}

TEST_F(device, no_right_to_open_it_is_told)
{
	ASSERT_EQ(0, mknod(EQUANT_DEVICE, S_IFREG | 0600, 0));
	ASSERT_EQ(0, seteuid(NOBODY));
	EXPECT_REFUSED(EACCES, "no access");
	ASSERT_EQ(0, seteuid(0));
}

TEST_F(device, auto_goes_on_to_the_next_probe)
{
	struct equant_probe *probe;

	ASSERT_EQ(0, mknod(EQUANT_DEVICE, S_IFREG | 0666, 0));
	probe = equant_probe_open("auto", self->why, sizeof(self->why));
	ASSERT_NE(NULL, probe);
	EXPECT_STRNE("kmod", equant_probe_name(probe));
	if (strcmp(equant_probe_name(probe), "bpf")) {
		EXPECT_NE(NULL, strstr(self->why, "kmod: not available: "));
	}
	equant_probe_close(probe);
}

TEST(another_version_is_refused_and_told)
{
	const struct equant_info good = {
		.version = EQUANT_KMOD_VERSION,
		.abi_version = EQUANT_ABI_VERSION,
		.record_size = EQUANT_RECORD_SIZE,
		.event_size = sizeof(struct equant_kmod_event),
	};
	struct equant_info bad[] = { good, good, good, good };
	char why[512] = "";

	EXPECT_EQ(0, equant_device_check(&good, why, sizeof(why)));
	EXPECT_STREQ("", why);
	bad[0].version++;
	bad[1].abi_version--;
	bad[2].record_size *= 2;
	bad[3].event_size = 0;
	for (int i = 0; i < 4; i++) {
		why[0] = '\0';
		EXPECT_EQ(-EPROTO, equant_device_check(&bad[i], why, sizeof(why)));
		EXPECT_NE(NULL, strstr(why, "expected 1, 1, 256 and 40"))
		{
			TH_LOG("\"%s\"", why);
		}
	}
}

TEST_HARNESS_MAIN
