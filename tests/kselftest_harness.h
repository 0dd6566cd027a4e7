/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The kernel's test harness, but for its limit of 30 s per test: run.sh ends what hangs, by the
 * limits in settings, and knows how slow the machine is.
 */
#ifndef TESTS_KSELFTEST_HARNESS_H
#define TESTS_KSELFTEST_HARNESS_H

#include_next <kselftest_harness.h>

#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 3600

#endif /* TESTS_KSELFTEST_HARNESS_H */
