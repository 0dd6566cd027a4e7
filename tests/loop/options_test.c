// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Options: defaults, the program's, the environment's; anything else is an error that is named. */
#include <equant/equant.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "balance/defaults.h"
#include "commas.h"
#include "core/options.h"
#include "kselftest_harness.h"
#include "libloop.h"
#include "loop/loop_internal.h"

struct setting {
	const char *variable;
	const char *value;
};

FIXTURE(options)
{
	struct equant_options set;
	struct messages messages;
};

FIXTURE_SETUP(options)
{
	ASSERT_EQ(0, clearenv());
	memset(&self->set, 0xff, sizeof(self->set));
}

FIXTURE_TEARDOWN(options)
{
}

static int resolve(struct _test_data_options *self, const struct equant_options *user)
{
	int error;

	if (messages_begin(&self->messages))
		return -ENOTRECOVERABLE;
	error = equant_options_resolve(&self->set, user);
	messages_end(&self->messages);
	/* A refused set owns nothing; releasing it is harmless. */
	if (error)
		equant_options_release(&self->set);
	return error;
}

/* What is said of the environment, and of nothing else. */
static const char *said_of(struct _test_data_options *self, const char *variable)
{
	clearenv();
	setenv("EQUANT_CHECK", "on", 1);
	setenv("EQUANT_QUANTA", "2", 1);
	setenv("EQUANT_QUANTUM", "", 1);
	setenv(variable, "on", 1);
	if (messages_begin(&self->messages))
		return "no pipe";
	equant_options_misspelled();
	messages_end(&self->messages);
	return self->messages.text;
}

TEST_F(options, a_variable_that_nearly_has_an_options_name_is_named)
{
	static const char *const meant[][2] = {
		{ "EQUANT_CHEK", "equant: EQUANT_CHEK is no option; is EQUANT_CHECK meant?\n" },
		{ "equant_check", "equant: equant_check is no option; is EQUANT_CHECK meant?\n" },
		{ "EQAUNT_REPORT",
		  "equant: EQAUNT_REPORT is no option; is EQUANT_REPORT meant?\n" },
		{ "EQUANTBALANCE",
		  "equant: EQUANTBALANCE is no option; is EQUANT_BALANCE meant?\n" },
		{ "EQUANT_RATES", "equant: EQUANT_RATES is no option; is EQUANT_RATE meant?\n" },
	};
	static const char *const others[] = {
		"EQUANT_HOME", "EQUANT_DIR", "EQUANT_ROOT", "EQUANT_LIB", "EQUANT_BIN",
		"EQUANT_SEED", "EQUANT",     "EDITOR",	    "E",	  "EQUANT_PROBE_DEBUG"
	};

	for (size_t i = 0; i < sizeof(meant) / sizeof(meant[0]); i++)
		EXPECT_STREQ(meant[i][1], said_of(self, meant[i][0]));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		EXPECT_STREQ("", said_of(self, others[i]));
}

TEST_F(options, without_anything_set_the_defaults_hold)
{
	ASSERT_EQ(0, resolve(self, NULL));
	EXPECT_EQ(sizeof(struct equant_options), self->set.sz);
	EXPECT_STREQ("auto", self->set.probe);
	EXPECT_EQ(NULL, self->set.trace);
	EXPECT_EQ(NULL, self->set.report);
	EXPECT_EQ(1, self->set.balance);
	EXPECT_EQ(EQUANT_RATE_PREDICTED, self->set.rate);
	EXPECT_EQ(EQUANT_FILTER_STATES, self->set.filter);
	EXPECT_EQ(0, self->set.check);
	EXPECT_EQ(1, self->set.depth);
	EXPECT_EQ(0, self->set.ports);
	EXPECT_EQ(0, self->set.omit);
	EXPECT_EQ(0, self->set.verbose);
	EXPECT_EQ(0, self->set.period);
	EXPECT_EQ(0.03, self->set.threshold);
	EXPECT_EQ(5, self->set.profit);
	EXPECT_EQ(10, self->set.window);
	EXPECT_EQ(0.05, self->set.interact);
	EXPECT_EQ(0.1, self->set.amplitude);
	EXPECT_EQ(30, self->set.timeout);
	EXPECT_EQ(EQUANT_WAIT_AUTO, self->set.wait);
	EXPECT_EQ(0, self->set.polls);
	EXPECT_EQ(EQUANT_CONTROL_EXCHANGE, self->set.control);
	EXPECT_EQ(0, self->set.quantum);
	EXPECT_EQ(0, self->set.quanta);
	EXPECT_EQ(EQUANT_MOVE_BY_LOOP, self->set.movement);
	EXPECT_EQ(0, self->set.delay);
	EXPECT_EQ(0, self->set.grain);
	EXPECT_EQ(1, self->set.prompt);
	EXPECT_EQ(1, self->set.steady);
	EXPECT_EQ(0, self->set.tiles);
	EXPECT_EQ(1, self->set.crowds);
	EXPECT_STREQ("", self->messages.text);
	equant_options_release(&self->set);
}

/* A path that is cut off names another file, and for the next number the same one again. */
TEST_F(options, directories_whose_files_would_have_no_name_are_refused)
{
	static const char *const names[] = { "EQUANT_TRACE", "EQUANT_REPORT", "EQUANT_REPLAY" };
	struct equant_options user;
	char name[EQUANT_DIRECTORY_MAX + 2];

	memset(name, 'd', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (int i = 0; i < 3; i++) {
		setenv(names[i], name, 1);
		EXPECT_EQ(-ENAMETOOLONG, resolve(self, NULL));
		EXPECT_NE(NULL, strstr(self->messages.text, names[i]));
		setenv(names[i], name + 1, 1);
		ASSERT_EQ(0, resolve(self, NULL));
		equant_options_release(&self->set);
		unsetenv(names[i]);
	}
	equant_options_init(&user);
	user.trace = name;
	EXPECT_EQ(-ENAMETOOLONG, resolve(self, &user));
}

static void find_comma(void *ctx, const char *variable, const char *value, const char *range,
		       const char *meaning)
{
	bool *found = ctx;

	(void)variable, (void)range, (void)meaning;
	*found |= strchr(value, ',') != NULL;
}

static int check(struct _test_data_options *self, const char *variable, const char *value)
{
	int error;

	if (messages_begin(&self->messages))
		return -ENOTRECOVERABLE;
	error = equant_options_check(variable, value);
	messages_end(&self->messages);
	return error;
}

TEST_F(options, a_value_can_be_checked_before_it_is_set)
{
	EXPECT_EQ(0, check(self, "EQUANT_PERIOD", "0.5"));
	EXPECT_EQ(0, check(self, "EQUANT_WAIT", "block"));
	EXPECT_EQ(0, check(self, "EQUANT_TRACE", ""));
	EXPECT_EQ(-ENOENT, check(self, "EQUANT_PERIODS", "0.5"));
	EXPECT_STREQ("", self->messages.text);
	EXPECT_EQ(-ENOENT, check(self, "", ""));
	EXPECT_EQ(-EINVAL, check(self, "EQUANT_DEPTH", "1.5"));
	EXPECT_EQ(-EINVAL, check(self, "EQUANT_WAIT", "blocks"));
	EXPECT_EQ(-EINVAL, check(self, "EQUANT_PERIOD", "soon"));
	EXPECT_NE(NULL, strstr(self->messages.text, "EQUANT_PERIOD=soon: not one of 0..1e+06"));
}

TEST_F(options, numbers_have_a_point_though_the_locale_has_a_comma)
{
	bool found = false;

	if (!commas_begin())
		SKIP(return, COMMAS_NEED);
	setenv("EQUANT_PROFIT", "2.5", 1);
	ASSERT_EQ(0, resolve(self, NULL));
	EXPECT_EQ(2.5, self->set.profit);
	equant_options_release(&self->set);
	setenv("EQUANT_PROFIT", "2,5", 1);
	EXPECT_EQ(-EINVAL, resolve(self, NULL));
	EXPECT_NE(NULL, strstr(self->messages.text, "EQUANT_PROFIT=2,5: not one of 0..1e+09"));
	equant_options_describe(find_comma, &found);
	EXPECT_FALSE(found);
}

TEST_F(options, every_bad_value_is_refused_and_named)
{
	static const struct setting bad[] = {
		{ "EQUANT_BALANCE", "maybe" },	{ "EQUANT_BALANCE", "1" },
		{ "EQUANT_BALANCE", "" },	{ "EQUANT_BALANCE", "on " },
		{ "EQUANT_BALANCE", "ON" },	{ "EQUANT_BALANCE", "off|on" },
		{ "EQUANT_RATE", "guessed" },	{ "EQUANT_RATE", "pre" },
		{ "EQUANT_FILTER", "yes" },	{ "EQUANT_CHECK", "2" },
		{ "EQUANT_VERBOSE", "loud" },	{ "EQUANT_DEPTH", "1025" },
		{ "EQUANT_DEPTH", "-1" },	{ "EQUANT_DEPTH", "0.5" },
		{ "EQUANT_DEPTH", "one" },	{ "EQUANT_PORTS", "-1" },
		{ "EQUANT_PORTS", "1x" },	{ "EQUANT_PORTS", "" },
		{ "EQUANT_PORTS", "1048577" },	{ "EQUANT_OMIT", "-3" },
		{ "EQUANT_OMIT", "1.5" },	{ "EQUANT_OMIT", "1e16" },
		{ "EQUANT_PERIOD", "-0.1" },	{ "EQUANT_PERIOD", "nan" },
		{ "EQUANT_PERIOD", "inf" },	{ "EQUANT_PERIOD", "1s" },
		{ "EQUANT_PERIOD", "1e999" },	{ "EQUANT_PERIOD", "soon" },
		{ "EQUANT_THRESHOLD", "1.01" }, { "EQUANT_THRESHOLD", "5%" },
		{ "EQUANT_PROFIT", "-1" },	{ "EQUANT_WINDOW", "0" },
		{ "EQUANT_INTERACT", "0" },	{ "EQUANT_INTERACT", "1.5" },
		{ "EQUANT_AMPLITUDE", "0" },	{ "EQUANT_AMPLITUDE", "2" },
		{ "EQUANT_TIMEOUT", "0" },	{ "EQUANT_TIMEOUT", "never" },
		{ "EQUANT_WAIT", "poll" },	{ "EQUANT_WAIT", "" },
		{ "EQUANT_DELAY", "-1e-6" },	{ "EQUANT_DELAY", "11" },
		{ "EQUANT_GRAIN", "-1" },	{ "EQUANT_GRAIN", "1.5q" },
		{ "EQUANT_PROMPT", "2" },	{ "EQUANT_STEADY", "2" },
	};
	char named[128];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		setenv(bad[i].variable, bad[i].value, 1);
		snprintf(named, sizeof(named), "%s=%s:", bad[i].variable, bad[i].value);
		EXPECT_EQ(-EINVAL, resolve(self, NULL))
		{
			TH_LOG("%s", named);
		}
		EXPECT_NE(NULL, strstr(self->messages.text, named))
		{
			TH_LOG("%s is not in \"%s\"", named, self->messages.text);
		}
		unsetenv(bad[i].variable);
	}
}

TEST_F(options, the_environment_wins_over_the_program)
{
	struct equant_options user;

	equant_options_init(&user);
	user.depth = 0;
	user.probe = "clock";
	user.period = 2;
	user.omit = 7;
	setenv("EQUANT_DEPTH", "1", 1);
	setenv("EQUANT_PROBE", "schedstat", 1);
	setenv("EQUANT_RATE", "measured", 1);
	setenv("EQUANT_PERIOD", "0.25", 1);
	setenv("EQUANT_BALANCE", "off", 1);
	ASSERT_EQ(0, resolve(self, &user));
	EXPECT_EQ(1, self->set.depth);
	EXPECT_STREQ("schedstat", self->set.probe);
	EXPECT_EQ(EQUANT_RATE_MEASURED, self->set.rate);
	EXPECT_EQ(0.25, self->set.period);
	EXPECT_EQ(0, self->set.balance);
	EXPECT_EQ(7, self->set.omit);
	equant_options_release(&self->set);
}

TEST_F(options, strings_are_copied)
{
	char probe[] = "clock", trace[] = "/tmp";
	struct equant_options user;

	equant_options_init(&user);
	user.probe = probe;
	user.trace = trace;
	ASSERT_EQ(0, resolve(self, &user));
	memset(probe, 'x', sizeof(probe) - 1);
	memset(trace, 'x', sizeof(trace) - 1);
	EXPECT_STREQ("clock", self->set.probe);
	EXPECT_STREQ("/tmp", self->set.trace);
	equant_options_release(&self->set);
	EXPECT_EQ(NULL, self->set.probe);
}

TEST_F(options, an_empty_string_means_none)
{
	struct equant_options user;

	equant_options_init(&user);
	user.trace = "/tmp";
	user.probe = NULL;
	setenv("EQUANT_TRACE", "", 1);
	ASSERT_EQ(0, resolve(self, &user));
	EXPECT_EQ(NULL, self->set.trace);
	EXPECT_STREQ("auto", self->set.probe);
	equant_options_release(&self->set);
}

TEST_F(options, a_field_the_program_sets_out_of_range_is_refused)
{
	struct equant_options user;

	equant_options_init(&user);
	user.depth = 1025;
	EXPECT_EQ(-EINVAL, resolve(self, &user));
	EXPECT_NE(NULL,
		  strstr(self->messages.text, "EQUANT_DEPTH is 1025 by the program's options"));
	equant_options_init(&user);
	user.rate = 2;
	EXPECT_EQ(-EINVAL, resolve(self, &user));
	EXPECT_NE(NULL, strstr(self->messages.text, "EQUANT_RATE is 2 by the program's options"));
	equant_options_init(&user);
	user.threshold = -0.5;
	EXPECT_EQ(-EINVAL, resolve(self, &user));
	user.threshold = 0.0 / 0.0;
	EXPECT_EQ(-EINVAL, resolve(self, &user));
	equant_options_init(&user);
	user.quantum = 1e-10;
	EXPECT_EQ(-EINVAL, resolve(self, &user));
	EXPECT_NE(
		NULL,
		strstr(self->messages.text,
		       "EQUANT_QUANTUM is 1e-10 by the program's options: not one of 0, 1e-09..1000"));
}

TEST_F(options, defaults_fill_what_the_caller_knows_and_nothing_behind_it)
{
	struct {
		struct equant_options known;
		char newer[16];
	} user;
	const size_t older = offsetof(struct equant_options, restraint);

	memset(&user, 0x5a, sizeof(user));
	equant_options_fill(&user.known, older);
	EXPECT_EQ(older, user.known.sz);
	EXPECT_EQ(1, user.known.depth);
	EXPECT_EQ(0x5a, ((unsigned char *)&user)[older]);
	ASSERT_EQ(0, resolve(self, &user.known));
	EXPECT_EQ(1, self->set.restraint > 0.5);
	equant_options_release(&self->set);

	equant_options_fill(&user.known, sizeof(user));
	EXPECT_EQ(sizeof(user), user.known.sz);
	EXPECT_EQ(0, user.newer[15]);
	EXPECT_EQ(0, resolve(self, &user.known));
	equant_options_release(&self->set);
}

TEST_F(options, unknown_bytes_behind_the_struct_must_be_zero)
{
	struct {
		struct equant_options known;
		char unknown[16];
	} user = { 0 };

	equant_options_init(&user.known);
	user.known.sz = sizeof(user);
	EXPECT_EQ(0, resolve(self, &user.known));
	equant_options_release(&self->set);
	user.unknown[15] = 1;
	EXPECT_EQ(-EINVAL, resolve(self, &user.known));
	EXPECT_NE(NULL, strstr(self->messages.text, "struct equant_options"));
}

TEST_F(options, an_older_and_shorter_struct_keeps_the_defaults_of_the_rest)
{
	struct equant_options user;

	equant_options_init(&user);
	user.depth = 0;
	user.timeout = 99;
	user.sz = offsetof(struct equant_options, timeout);
	ASSERT_EQ(0, resolve(self, &user));
	EXPECT_EQ(0, self->set.depth);
	EXPECT_EQ(30, self->set.timeout);
	equant_options_release(&self->set);
	user.sz = 0;
	EXPECT_EQ(-EINVAL, resolve(self, &user));
	user.sz = sizeof(size_t);
	EXPECT_EQ(-EINVAL, resolve(self, &user));
}

static int shared(struct _test_data_options *self, uint64_t values[EQUANT_OPTIONS_MAX])
{
	int error = resolve(self, NULL);

	if (error)
		return error;
	equant_options_shared(&self->set, values);
	equant_options_release(&self->set);
	return 0;
}

/* The name of the first option that is then no longer as before, "" if none. */
static const char *differs(struct _test_data_options *self, const char *variable, const char *value)
{
	uint64_t plain[EQUANT_OPTIONS_MAX], set[EQUANT_OPTIONS_MAX];
	int error = shared(self, plain);

	setenv(variable, value, 1);
	error = error ?: shared(self, set);
	unsetenv(variable);
	if (error)
		return "cannot be resolved";
	for (size_t i = 0; i < EQUANT_OPTIONS_MAX; i++)
		if (plain[i] != set[i])
			return equant_options_name(i);
	return "";
}

TEST_F(options, what_differs_is_named_where_ranks_must_agree_and_nowhere_else)
{
	static const struct setting common[] = {
		{ "EQUANT_BALANCE", "off" },	{ "EQUANT_RATE", "measured" },
		{ "EQUANT_FILTER", "none" },	{ "EQUANT_CHECK", "on" },
		{ "EQUANT_DEPTH", "0" },	{ "EQUANT_PORTS", "1" },
		{ "EQUANT_OMIT", "3" },		{ "EQUANT_PERIOD", "1" },
		{ "EQUANT_THRESHOLD", "0.06" }, { "EQUANT_PROFIT", "0" },
		{ "EQUANT_WINDOW", "11" },	{ "EQUANT_INTERACT", "0.06" },
		{ "EQUANT_AMPLITUDE", "0.2" },	{ "EQUANT_TIMEOUT", "31" },
		{ "EQUANT_CONTROL", "tree" },	{ "EQUANT_QUANTUM", "0.1" },
		{ "EQUANT_QUANTA", "10" },	{ "EQUANT_MOVEMENT", "restricted" },
		{ "EQUANT_DELAY", "0.001" },	{ "EQUANT_GRAIN", "1.5" },
		{ "EQUANT_PROMPT", "off" },	{ "EQUANT_STEADY", "off" },
	};
	static const struct setting local[] = {
		{ "EQUANT_PROBE", "clock" },
		{ "EQUANT_TRACE", "/tmp" },
		{ "EQUANT_REPORT", "/tmp" },
		{ "EQUANT_VERBOSE", "on" },
	};

	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++) {
		EXPECT_STREQ(common[i].variable, differs(self, common[i].variable, common[i].value))
		{
			TH_LOG("%s", common[i].variable);
		}
	}
	for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++) {
		EXPECT_STREQ("", differs(self, local[i].variable, local[i].value))
		{
			TH_LOG("%s", local[i].variable);
		}
	}
}

struct census {
	int lines;
	int bad;
};

static void count_line(void *ctx, const char *variable, const char *value, const char *range,
		       const char *meaning)
{
	struct census *census = ctx;

	census->lines++;
	census->bad += strncmp(variable, "EQUANT_", 7) || !value || !*range || !*meaning;
	if (*value) /* the default that is told must be one that is taken */
		setenv(variable, value, 1);
}

TEST_F(options, every_field_is_described_and_the_described_defaults_are_the_defaults)
{
	uint64_t plain[EQUANT_OPTIONS_MAX], told[EQUANT_OPTIONS_MAX];
	struct census census = { 0 };

	ASSERT_EQ(0, shared(self, plain));
	equant_options_describe(count_line, &census);
	EXPECT_EQ(34, census.lines);
	EXPECT_EQ(0, census.bad);
	ASSERT_EQ(0, shared(self, told));
	EXPECT_EQ(0, memcmp(plain, told, sizeof(plain)))
	{
		TH_LOG("%s", self->messages.text);
	}
}

/* ---- what the balancer gets of them ------------------------------------------- */

static const struct equant_costs costs = { .interact = 2e-5, .fixed = 3e-5, .per_unit = 4e-7 };

/* Of a loop with these options. */
static struct equant_balance_options balancing(struct _test_data_options *self,
					       struct equant_loop *loop)
{
	struct equant eq = { .options = self->set };

	loop->eq = &eq;
	return equant_loop_balancing(loop, &costs);
}

TEST_F(options, every_one_that_the_balancer_has_reaches_it)
{
	static const struct setting settings[] = {
		{ "EQUANT_RATE", "measured" },	{ "EQUANT_FILTER", "direction" },
		{ "EQUANT_THRESHOLD", "0.11" }, { "EQUANT_PROFIT", "0.7" },
		{ "EQUANT_WINDOW", "3" },	{ "EQUANT_INTERACT", "0.02" },
		{ "EQUANT_AMPLITUDE", "0.3" },	{ "EQUANT_PERIOD", "0.9" },
		{ "EQUANT_PORTS", "2" },	{ "EQUANT_OMIT", "3" },
		{ "EQUANT_POLLS", "on" },	{ "EQUANT_QUANTUM", "0.006" },
		{ "EQUANT_QUANTA", "7" },	{ "EQUANT_RESTRAINT", "0.4" },
		{ "EQUANT_PROMPT", "off" },	{ "EQUANT_STEADY", "off" },
	};
	struct equant_loop loop = { .restricted = 1 };
	struct equant_balance_options b;

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		setenv(settings[i].variable, settings[i].value, 1);
	ASSERT_EQ(0, resolve(self, NULL));
	b = balancing(self, &loop);
	EXPECT_EQ(sizeof(b), b.sz);
	EXPECT_EQ(EQUANT_RATE_MEASURED, b.mode);
	EXPECT_EQ(EQUANT_FILTER_DIRECTION, b.filter);
	EXPECT_EQ(0.11, b.threshold);
	EXPECT_EQ(0.7, b.profit);
	EXPECT_EQ(3, b.window);
	EXPECT_EQ(0.02, b.interact_fraction);
	EXPECT_EQ(0.3, b.amplitude);
	EXPECT_EQ(0.9, b.period);
	EXPECT_EQ(2, b.ports);
	EXPECT_EQ(3, b.omit);
	EXPECT_EQ(1, b.polls);
	EXPECT_EQ(0.006, b.quantum);
	EXPECT_EQ(7, b.quanta);
	EXPECT_EQ(0.4, b.restraint);
	EXPECT_EQ(0, b.prompt);
	EXPECT_EQ(0, b.steady);
	EXPECT_EQ(EQUANT_QUANTUM_UNSEEN, b.default_quantum);
	EXPECT_EQ(3e-5, b.move_fixed);
	EXPECT_EQ(4e-7, b.move_per_unit);
	EXPECT_EQ(2e-5, b.interact);
	EXPECT_EQ(1, b.moves_allowed);
	EXPECT_EQ(EQUANT_MOVEMENT_RESTRICTED, b.movement);
	EXPECT_EQ(EQUANT_HANDSHAKE_RENDEZVOUS, b.handshake);
	equant_options_release(&self->set);
}

/* Nothing above is what it would be anyway, and none is made of another one. */
TEST_F(options, what_is_not_set_reaches_the_balancer_as_its_default)
{
	struct equant_loop loop = { 0 };
	struct equant_balance_options b;

	ASSERT_EQ(0, resolve(self, NULL));
	b = balancing(self, &loop);
	EXPECT_EQ(EQUANT_RATE_PREDICTED, b.mode);
	EXPECT_EQ(EQUANT_FILTER_STATES, b.filter);
	EXPECT_EQ(0.03, b.threshold);
	EXPECT_EQ(5, b.profit);
	EXPECT_EQ(10, b.window);
	EXPECT_EQ(0.05, b.interact_fraction);
	EXPECT_EQ(0.1, b.amplitude);
	EXPECT_EQ(0, b.period);
	EXPECT_EQ(0, b.ports);
	EXPECT_EQ(0, b.omit);
	EXPECT_EQ(0, b.polls);
	EXPECT_EQ(0, b.quantum);
	EXPECT_EQ(0, b.quanta);
	EXPECT_EQ(self->set.restraint, b.restraint);
	EXPECT_EQ(1, b.prompt);
	EXPECT_EQ(1, b.steady);
	EXPECT_EQ(EQUANT_MOVEMENT_UNRESTRICTED, b.movement);
	equant_options_release(&self->set);
}

TEST_F(options, the_kind_of_loop_and_how_ranks_wait_reach_the_balancer_too)
{
	static const int polls[] = { [EQUANT_WAIT_AUTO] = 0,
				     [EQUANT_WAIT_SPIN] = 1,
				     [EQUANT_WAIT_YIELD] = 1,
				     [EQUANT_WAIT_BLOCK] = 0 };
	struct equant_loop plain = { 0 }, swept = { 0 }, passed = { 0 }, replayed = { 0 };
	struct equant_pipeline pipeline = { .nr_carried = 1 };
	struct equant_pass pass = { 0 };

	ASSERT_EQ(0, resolve(self, NULL));
	for (int wait = 0; wait < 4; wait++) {
		self->set.wait = wait;
		EXPECT_EQ(polls[wait], balancing(self, &plain).polls);
	}
	swept.pipeline = &pipeline;
	EXPECT_EQ(1, balancing(self, &swept).restraint);
	passed.pass = &pass;
	EXPECT_EQ(0, balancing(self, &passed).prompt);
	replayed.replay = (struct equant_replay *)&replayed;
	EXPECT_EQ(0, balancing(self, &replayed).moves_allowed);
	equant_options_release(&self->set);
}

/* What `equant simulate` begins with: all that a loop does, but for the costs, which a loop measures. */
TEST_F(options, a_decision_begins_with_those_of_a_program_that_sets_none)
{
	struct equant_loop loop = { 0 };
	struct equant_balance_options b, loops;

	memset(&b, 0xff, sizeof(b));
	equant_balance_options_init(&b);
	ASSERT_EQ(0, resolve(self, NULL));
	loops = balancing(self, &loop);
	EXPECT_EQ(sizeof(b), b.sz);
	EXPECT_EQ(loops.mode, b.mode);
	EXPECT_EQ(loops.threshold, b.threshold);
	EXPECT_EQ(loops.profit, b.profit);
	EXPECT_EQ(loops.window, b.window);
	EXPECT_EQ(loops.interact_fraction, b.interact_fraction);
	EXPECT_EQ(loops.amplitude, b.amplitude);
	EXPECT_EQ(loops.period, b.period);
	EXPECT_EQ(loops.default_quantum, b.default_quantum);
	EXPECT_EQ(0, b.move_fixed);
	EXPECT_EQ(0, b.move_per_unit);
	EXPECT_EQ(0, b.interact);
	EXPECT_EQ(loops.ports, b.ports);
	EXPECT_EQ(loops.omit, b.omit);
	EXPECT_EQ(loops.moves_allowed, b.moves_allowed);
	EXPECT_EQ(loops.filter, b.filter);
	EXPECT_EQ(loops.movement, b.movement);
	EXPECT_EQ(loops.handshake, b.handshake);
	EXPECT_EQ(loops.polls, b.polls);
	EXPECT_EQ(loops.quantum, b.quantum);
	EXPECT_EQ(loops.quanta, b.quanta);
	EXPECT_EQ(loops.restraint, b.restraint);
	EXPECT_EQ(loops.prompt, b.prompt);
	EXPECT_EQ(loops.steady, b.steady);
	equant_options_release(&self->set);
}

/* An older caller has room for fewer fields than the library knows. */
TEST_F(options, defaults_of_a_decision_end_where_the_room_for_them_does)
{
	const size_t older = offsetof(struct equant_balance_options, restraint);
	struct equant_balance_options b;

	memset(&b, 0xff, sizeof(b));
	equant_balance_options_fill(&b, older);
	EXPECT_EQ(older, b.sz);
	EXPECT_EQ(5, b.profit);
	for (size_t i = older; i < sizeof(b); i++)
		ASSERT_EQ(0xff, ((const unsigned char *)&b)[i]);
}

TEST_HARNESS_MAIN
