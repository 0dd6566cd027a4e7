// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The same of the kernel module. */
#include "shares_cases.h"

/* clang-format off */
FIXTURE_VARIANT_ADD(shares, kmod) {
	.source = "kmod",
};
/* clang-format on */

TEST_HARNESS_MAIN
