// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The shares that the BPF probe measures and predicts, against the scheduler's own trace. */
#include "shares_cases.h"

/* clang-format off */
FIXTURE_VARIANT_ADD(shares, bpf) {
	.source = "bpf",
};
/* clang-format on */

TEST_HARNESS_MAIN
