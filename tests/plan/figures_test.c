// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Cierniak, Zaki, Li 1997: table 2 and figures 6, 8, 9 and 10, simulated.  The curves of the
 * figures are not in the paper's text and the machines are gone: what is demanded is what the
 * text says of them.  Messages are PVM's of section 10: 2414.5 us and 0.96 MB/s.
 */
#include <math.h>
#include <string.h>

#include "libplan.h"

#include "kselftest_harness.h"

#define STARTUP 2414.5e-6
#define BYTE (1 / 0.96e6)
#define OPERATION 1e-6 /* of a SPARCstation 1, about */

/* Normalised speeds of table 6. */
static const double speeds[] = { 1.00, 1.85, 3.00 };

/* Configurations of table 7, by type. */
static const int configurations[][3] = {
	{ 1, 1, 0 }, { 1, 0, 1 },  { 2, 1, 1 },	 { 1, 3, 2 },
	{ 1, 8, 1 }, { 10, 3, 1 }, { 2, 12, 1 }, { 15, 0, 1 },
};

#define CONFIGURATIONS ((int)(sizeof(configurations) / sizeof(configurations[0])))

static struct equant_plan_machine *network_of(const int counts[3])
{
	struct equant_plan_machine *machine = equant_plan_machine_new();

	for (int type = 0; type < 3; type++) {
		struct equant_plan_processor one = { .operation = OPERATION / speeds[type],
						     .startup = STARTUP,
						     .byte = BYTE,
						     .memory = INFINITY };

		if (counts[type] && equant_plan_machine_add(machine, &one, counts[type]))
			exit(1);
	}
	return machine;
}

static double time_by(const char *planner, const struct equant_plan_program *program,
		      const struct equant_plan_machine *made_for,
		      const struct equant_plan_machine *run_on)
{
	char why[200] = "";
	struct equant_plan *plan = equant_plan_new(planner, program, made_for, why, sizeof(why));
	double time;

	if (!plan) {
		fprintf(stderr, "# %s: %s\n", planner, why);
		return NAN;
	}
	time = equant_plan_simulate(plan, program, run_on, NULL);
	equant_plan_free(plan);
	return time;
}

/* On a SPARCstation 1 alone, which sends nothing. */
static double sequential(const struct equant_plan_program *program)
{
	double work = 0;

	for (long i = 1; i <= program->iterations; i++)
		work += program->work.slope * (double)i + program->work.constant;
	return work * OPERATION;
}

static double ideal(const int counts[3])
{
	return counts[0] * speeds[0] + counts[1] * speeds[1] + counts[2] * speeds[2];
}

/* SPARC 5 beside a SPARC LX: 3.5 times as fast by MIPS, as table 1 says by application. */
TEST(table_2_speeds_of_the_application_beat_those_of_the_data_sheet)
{
	static const struct {
		const char *name;
		double speed;
		long n;
		double slope, constant;
		double paper;
	} rows[] = {
		{ "M x M", 1.5, 600, 0, 1, 1486.3 / 1152.7 },
		{ "CHO", 1.7, 600, -1, 601, 99.1 / 87.1 },
		{ "2D-FFT", 1.8, 512, 0, 1, 36.8 / 32.3 },
	};

	for (int k = 0; k < 3; k++) {
		struct equant_plan_program *program =
			affine_program(rows[k].n, rows[k].slope, rows[k].constant);
		struct equant_plan_machine *mips = machine_of((double[]){ 1 / 3.5, 1 }, 2);
		struct equant_plan_machine *real =
			machine_of((double[]){ 1 / rows[k].speed, 1 }, 2);
		double ratio = time_by("speed", program, mips, real) /
			       time_by("speed", program, real, real);

		TH_LOG("%s: MIPS / NPS %.3f simulated without messages, %.3f in the paper",
		       rows[k].name, ratio, rows[k].paper);
		EXPECT_GT(ratio, 1.1);
		/* Messages take their part of both, and the product sends least. */
		EXPECT_GT(ratio, rows[k].paper * 0.99);
		if (!k)
			EXPECT_LT(ratio, rows[k].paper * 1.02);
		equant_plan_program_free(program);
		equant_plan_machine_free(mips);
		equant_plan_machine_free(real);
	}
}

/* "The bitonic schedule consistently outperforms the round-robin technique." */
TEST(figure_6_bitonic_outperforms_round_robin)
{
	struct equant_plan_program *program = affine_program(600, 1000, 0);
	double alone = sequential(program);

	equant_plan_program_bytes(program, 0, 8);
	for (int p = 2; p <= 16; p++) {
		struct equant_plan_machine *machine = network_of((int[]){ p, 0, 0 });
		double bitonic = time_by("bitonic", program, machine, machine);
		double cyclic = time_by("cyclic", program, machine, machine);

		if (p % 2 == 0)
			TH_LOG("%2d processors: speed-up %.2f bitonic, %.2f round robin", p,
			       alone / bitonic, alone / cyclic);
		EXPECT_LT(bitonic, cyclic);
		equant_plan_machine_free(machine);
	}
	equant_plan_program_free(program);
}

/* "The architecture-conscious schedules consistently outperform the oblivious ones." */
TEST(figure_8_speeds_outperform_equal_blocks_where_iterations_send)
{
	struct equant_plan_program *program = equant_plan_program_new(1000);

	equant_plan_program_work(program, 0, 50000);
	equant_plan_program_bytes(program, 0, 800);
	for (int k = 0; k < CONFIGURATIONS; k++) {
		struct equant_plan_machine *machine = network_of(configurations[k]);
		double alone = sequential(program);
		double conscious = time_by("speed", program, machine, machine);
		double oblivious = time_by("block", program, machine, machine);

		TH_LOG("%dT1 %dT2 %dT3: speed-up %.2f of %.2f, equal blocks %.2f",
		       configurations[k][0], configurations[k][1], configurations[k][2],
		       alone / conscious, ideal(configurations[k]), alone / oblivious);
		EXPECT_LT(conscious, oblivious);
		EXPECT_LT(alone / conscious, ideal(configurations[k]));
		equant_plan_machine_free(machine);
	}
	equant_plan_program_free(program);
}

/* "The performance of the heterogeneous parallelization is close to the homogeneous case." */
TEST(figure_9_unequal_processors_come_close_to_as_many_equal_ones)
{
	struct equant_plan_program *program = affine_program(600, 1000, 0);

	for (int k = 0; k < CONFIGURATIONS; k++) {
		struct equant_plan_machine *machine = network_of(configurations[k]);
		double time = time_by("speed", program, machine, machine);
		/* What ideally shared equal processors of the same speed in all would take. */
		double equal = sequential(program) / ideal(configurations[k]);

		TH_LOG("%dT1 %dT2 %dT3: %.3f s, %.3f s on %.2f SPARCstations 1",
		       configurations[k][0], configurations[k][1], configurations[k][2], time,
		       equal, ideal(configurations[k]));
		EXPECT_GE(time, equal * (1 - 1e-12));
		EXPECT_LT(time, equal * 1.15);
		equant_plan_machine_free(machine);
	}
	equant_plan_program_free(program);
}

/*
 * "For a small number of processors contention is not a very big problem.  But as the number
 * increases, performance of the simple parallelization deteriorates."
 */
TEST(figure_10_contention_costs_the_simple_schedule_more_with_every_processor)
{
	struct equant_plan_program *program = equant_plan_program_new(10000);
	double gain = 0;

	equant_plan_program_work(program, 0, 500);
	equant_plan_program_bytes(program, 0, 80);
	for (int p = 2; p <= 16; p *= 2) {
		struct equant_plan_machine *machine = equant_plan_machine_new();
		struct equant_plan_processor one = { .operation = OPERATION, .memory = INFINITY };
		double simple, conscious;

		ASSERT_EQ(0, equant_plan_machine_add(machine, &one, p));
		ASSERT_EQ(0, equant_plan_machine_medium(machine, STARTUP, BYTE));
		simple = time_by("block", program, machine, machine);
		conscious = time_by("contention-free", program, machine, machine);
		TH_LOG("%2d processors: %.3f s, equal blocks %.3f s", p, conscious, simple);
		EXPECT_LT(conscious, simple);
		EXPECT_GT(simple / conscious - 1, gain);
		gain = simple / conscious - 1;
		equant_plan_machine_free(machine);
	}
	EXPECT_GT(gain, 0.1);
	equant_plan_program_free(program);
}

TEST_HARNESS_MAIN
