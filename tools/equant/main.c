// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant: the command.  Finds the subcommand and calls it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "output.h"

static const struct equant_command commands[] = {
	{
		.name = "run",
		.run = equant_cmd_run,
		.summary = "start an MPI job, measured and balanced, and print what happened",
		.usage =
			"Usage: equant run [options] -- mpirun ... PROGRAM ...\n"
			"\n"
			"  --probe NAME       auto, bpf, kmod, schedstat, clock or replay:FILE\n"
			"  --balance on|off   off: measure only\n"
			"  --load WORDS       run a competing load beside the job; may be repeated.  WORDS are\n"
			"                     separated by commas: constant, or period=SECONDS,duty=FRACTION;\n"
			"                     cpu=N, nice=N, policy=idle, session=new, phase=SECONDS,\n"
			"                     seconds=SECONDS\n"
			"  --set NAME=VALUE   set any option of `equant help env`; may be repeated\n"
			"  --trace DIR        keep one trace per rank and loop in DIR (made if missing)\n"
			"  --replay DIR       repeat the decisions of the run that left its traces in DIR\n"
			"  --timeline         draw a bar per rank over time\n"
			"  --profile          where the time of each rank went, in MPI and outside; of any\n"
			"                     program, as it is\n"
			"  --json             the report as JSON on standard output; the job's own output\n"
			"                     goes to standard error\n"
			"  --output FILE      write the report to FILE\n"
			"  --session new      start the job in a session (and autogroup) of its own\n"
			"  --keep             keep the files the report was made from and say where\n"
			"  --quiet            say nothing but the report\n"
			"\n"
			"As root with Open MPI, OMPI_ALLOW_RUN_AS_ROOT and its _CONFIRM are set for the job.\n"
			"The exit status is the job's, 128 + N when signal N ended it, 125 when equant itself\n"
			"failed, 126 when the command cannot be run, 127 when it does not exist.\n",
	},
	{
		.name = "top",
		.run = equant_cmd_top,
		.summary = "every rank of this node that is attached to the kernel probe, live",
		.usage =
			"Usage: equant top [options]\n"
			"\n"
			"  --interval S       seconds between two readings, from 0.05 to 3600 (1)\n"
			"  --count N          end after N readings\n"
			"  --user NAME        tasks of this user only; or its number\n"
			"  --command NAME     tasks of programs of this name only\n"
			"  --threshold S      share, from 0 to 1, whose crossing is an event; 0: none (0.5)\n"
			"  --json             a line of JSON per reading, and per event\n"
			"\n"
			"On a terminal the screen is drawn again at each reading: q or Ctrl-C ends, the arrows\n"
			"and the space bar scroll. Elsewhere one table is printed, or N of them; signal K before\n"
			"the last of them ends it with status 128 + K. Events come from the kernel module only.\n",
	},
	{
		.name = "report",
		.run = equant_cmd_report,
		.summary = "turn traces into a table and a time line",
		.usage =
			"Usage: equant report [--json] [--svg FILE] [--perfetto FILE] [--width N] TRACE...\n"
			"       equant report [option]... DIRECTORY\n"
			"\n"
			"  --json           as JSON\n"
			"  --svg FILE       draw the ranks over time, too\n"
			"  --perfetto FILE  write them for a trace viewer, such as Perfetto, too\n"
			"  --width N        columns of the time line, from 1 to 1000 (the terminal's)\n"
			"\n"
			"One trace per rank of the same loop, in any order; or the directory that holds those of one loop,\n"
			"as --trace of `equant run` leaves it.  Or a directory of profiles that `equant run --profile --keep`\n"
			"has kept, or left there when it was killed: these as it prints them.\n",
	},
	{
		.name = "probe",
		.run = equant_cmd_probe,
		.summary = "load, unload or examine the kernel probe",
		.usage =
			"Usage: equant probe status [--json]\n"
			"       equant probe load [--if-needed] [--replace] [--group GROUP]\n"
			"                         [--per-user N] [--reserve N] [--force-sys-enter]\n"
			"       equant probe unload\n"
			"\n"
			"  --if-needed        it is no error if the probe is loaded already\n"
			"  --replace          put a new one in place of the loaded one\n"
			"  --group GROUP      only this group may use it\n"
			"  --per-user N       records per user other than root; 0: no limit (64 per CPU,\n"
			"                     half of all at most)\n"
			"  --reserve N        records that only root may take (1/16 of them)\n"
			"  --force-sys-enter  register by a hook on every system call of the machine\n"
			"\n"
			"load and unload need root; jobs then use the probe without any privilege.\n",
	},
	{
		.name = "load",
		.run = equant_cmd_load,
		.summary = "a competing process, to see what it does to a job",
		.usage =
			"Usage: equant load [WORD[,WORD]...]...\n"
			"\n"
			"The words are those of `equant run --load`; without any it is constant. When it ends it\n"
			"says what CPU time it took. It does so with who started it, also under nohup.\n",
	},
	{
		.name = "advise",
		.run = equant_cmd_advise,
		.summary = "where the hook goes in a loop nest, and with what block size",
		.usage = "Usage: equant advise [--json] NEST\n"
			 "\n"
			 "NEST is the description of a loop nest, as in Documentation/advise.rst.\n"
			 "The exit status is 3 when a hook is of no use anywhere.\n",
	},
	{
		.name = "plan",
		.run = equant_cmd_plan,
		.summary = "static schedules of a loop on unequal processors, compared",
		.usage =
			"Usage: equant plan [--planner NAME] [--nest NEST] [--json] FILE [FILE]\n"
			"       equant plan --list\n"
			"\n"
			"The files describe a loop and a machine, as in Documentation/plan.rst.\n"
			"\n"
			"  --planner NAME     ask this planner only; all, if not given\n"
			"  --nest NEST        the loop is the distributed one of a nest; if a file has one, too,\n"
			"                     the nest says what memory it needs\n"
			"  --replacement NAME lru (the default) or ideal: of pages, in the nest's memory\n"
			"  --json             as JSON, with every iteration's place\n"
			"  --list             the planners\n"
			"\n"
			"Prints each planner's time and the schedule of the fastest. The exit status is 1\n"
			"when no planner has an answer.\n",
	},
	{
		.name = "dag",
		.run = equant_cmd_dag,
		.summary = "schedules of a task graph on unequal processors, compared",
		.usage =
			"Usage: equant dag compare GRAPH --machine FILE [--improve] [--optimum] [--json]\n"
			"       equant dag schedule GRAPH --machine FILE [options]\n"
			"       equant dag simulate GRAPH --machine FILE --actual FILE [options]\n"
			"       equant dag draw GRAPH SCHEDULE [--format WORD] [--svg FILE]\n"
			"       equant dag generate FAMILY [options]\n"
			"       equant dag experiment [options]\n"
			"\n"
			"GRAPH is .dot, .stg or .json, machines are JSON, as in Documentation/dag.rst.\n"
			"\n"
			"compare prints each scheduler's makespan, schedule the schedule of one, or the shortest of theirs;\n"
			"simulate what becomes of that on another machine.\n"
			"\n"
			"  --scheduler NAME   ask this scheduler only; not of compare\n"
			"  --improve          make schedules shorter by moving single tasks\n"
			"  --optimum          the shortest schedule of all, of up to 10 tasks; may take long;\n"
			"                     of compare only\n"
			"  --format WORD      of GRAPH: dot, stg or json (by its ending)\n"
			"  --json             as JSON\n"
			"  --svg FILE         a Gantt chart, too; not of compare\n"
			"  --save FILE        the schedule, too, for draw and for programs that carry it out;\n"
			"                     not of compare\n"
			"\n"
			"generate prints a graph as JSON; families: fork, join, fork-join, fft, gauss, lu, layered\n"
			"  --size N           (5)\n"
			"  --work X           mean work of a task (10)\n"
			"  --spread X         work and data are drawn from their mean -+ this part of it (0)\n"
			"  --comp-comm X      mean work over mean data (1); or --comm-comp X, the inverse\n"
			"  --layers N, --degree N  of layered\n"
			"  --seed N           (1)\n"
			"\n"
			"experiment prints average lengths of schedules by all schedulers\n"
			"  --over WORD        for each value of pe, ccr, beta, alpha or spread (pe)\n"
			"  --pe, --ccr, --beta, --alpha, --spread  for this value only, not for all\n"
			"  --family WORD      graphs of this family only\n"
			"  --seeds N          graphs and machines for each combination (20)\n"
			"  --json             as JSON\n"
			"  --svg FILE         the table as a picture, too\n",
	},
	{
		.name = "redist",
		.run = equant_cmd_redist,
		.summary =
			"schedules of a block-cyclic redistribution over unequal links, compared",
		.usage =
			"Usage: equant redist compare FROM TO --elements LIST [options]\n"
			"       equant redist schedule FROM TO --elements LIST [options]\n"
			"       equant redist simulate FROM TO --elements LIST [--actual FILE] [options]\n"
			"       equant redist experiment [options]\n"
			"\n"
			"FROM and TO are BLOCK:PROCESSES[:FIRST[:OFFSET]], and LIST how many elements there are;\n"
			"of several dimensions, with commas between them. Networks are as in\n"
			"Documentation/redist.rst.\n"
			"\n"
			"compare prints each scheduler's and router's makespan, schedule the timing diagram of\n"
			"one, or the best; simulate what becomes of that in the network, or in another one.\n"
			"\n"
			"  --network FILE     what is between the ranks; or all links alike:\n"
			"  --startup X        seconds (0), --bandwidth X  bytes per second (1e8)\n"
			"  --element N        bytes of an element (8)\n"
			"  --order WORD       of processes in their grids: row or column (row)\n"
			"  --apart            receivers are other ranks than senders\n"
			"  --self             what ranks have for themselves takes its time, too\n"
			"  --json             as JSON\n"
			"\n"
			"of schedule and simulate only\n"
			"  --scheduler NAME   ask this scheduler only\n"
			"  --router NAME      by way of other ranks: combine, relay, shortest or best; not\n"
			"                     together with --scheduler\n"
			"  --svg FILE         the timing diagram as a picture, too\n"
			"\n"
			"of simulate only\n"
			"  --actual FILE      the network to simulate, if it is another one\n"
			"  --window N         messages that a rank sends at once, and receives (1)\n"
			"  --barrier          all wait for each other after every step\n"
			"\n"
			"experiment repeats the paper's: cyclic(1) to cyclic(K) over links by chance; it takes\n"
			"  --over WORD        for each k, spread of bandwidths, or planning of sizes (k)\n"
			"  --ranks N          (16); over planning: up to so many, at least 16\n"
			"  --elements N       of 8 bytes (10000000)\n"
			"  --startup X        seconds (0)\n"
			"  --json             as JSON\n"
			"  --svg FILE         the table as a picture, too\n"
			"over k and spread\n"
			"  --seeds N          networks for each (20)\n"
			"  --slowest X        bytes per second (1e7)\n"
			"  --self             what ranks have for themselves takes its time, too\n"
			"  --scaled           links alike, and sizes of messages as their bandwidths were\n"
			"  --worse X          name each instance in which greedy is above X times the bound\n"
			"over k only\n"
			"  --step N           from one K to the next (1)\n"
			"  --fastest X        bytes per second (2e8)\n"
			"over spread only\n"
			"  --k K              (40)\n",
	},
	{
		.name = "demo",
		.run = equant_cmd_demo,
		.summary = "a minute that shows what balancing gains on this machine",
		.usage = "Usage: equant demo [--seconds S] [--pairs N]\n"
			 "\n"
			 "  --seconds S   length of one run, from 1 to 60 (7)\n"
			 "  --pairs N     runs without and with balancing, from 1 to 99 (3)\n",
	},
	{
		.name = "simulate",
		.run = equant_cmd_simulate,
		.summary = "what efficiency to expect: models of programs on shared CPUs",
		.usage =
			"Usage: equant simulate MODEL [options] [--json] [--svg FILE]\n"
			"       equant simulate MODEL --help\n"
			"       equant simulate figure NUMBER [options]\n"
			"\n"
			"  --json             the table as JSON\n"
			"  --svg FILE         a chart, too\n"
			"\n"
			"A LIST is numbers with commas between them, a SWEEP a number or FROM:TO:STEP.\n"
			"\n"
			"barrier: a barrier after every computation, on CPUs whose tasks take turns\n"
			"  --loads LIST       tasks on each CPU, the program's included (2,1,1,1)\n"
			"  --phases LIST      quanta since the program's last turn began (0)\n"
			"  --grain SWEEP      work per rank between barriers, quanta (two peaks, if they fit)\n"
			"  --barriers N       how many (1000)\n"
			"\n"
			"pipeline: a loop with dependences, cut into blocks, on such CPUs\n"
			"  --loads, --phases  as of barrier\n"
			"  --block SWEEP      iterations of a block (5:200:5; of fewer, 40 sizes)\n"
			"  --iterations N     of the pipelined loop (1000)\n"
			"  --sequential X     quanta of work in all of it (200)\n"
			"  --fixed X          quanta that a message costs its sender (0)\n"
			"  --per-iteration X  and for each iteration of its block (0)\n"
			"\n"
			"oscillating: a load on one CPU, on half of the time; a formula\n"
			"  --period SWEEP     of the load, seconds (2:60:2; over ranks 60)\n"
			"  --ranks SWEEP      (4); over these, if more than one, instead of periods\n"
			"  --fraction         of the work that moves, only; over ranks\n"
			"  --rmin X           part of the CPU that is left while it is on (0.5)\n"
			"  --target X         balancing period, seconds (1)\n"
			"  --depth N          balancing periods that decisions are behind (1)\n"
			"  --late X           and what a filter adds to that (0)\n"
			"  --move-all X       seconds to move all data to another rank (0)\n"
			"  --restricted       between neighbours only\n"
			"  --dedicated X      efficiency without any load (1)\n"
			"  --answer WORD      printed, whole or averaged: what a change is answered with (printed)\n"
			"\n"
			"run: a job in simulated time, balanced by the library's decisions\n"
			"  --period SWEEP     of the load on the first CPU, seconds; 0: always on (1:20:1)\n"
			"  --ranks N          up to 64 (4)\n"
			"  --tasks N          of the load (1)\n"
			"  --duty X           part of the period in which it is on (0.5)\n"
			"  --scheduler WORD   shared: a part of any moment, turns: by quanta (shared)\n"
			"  --quantum X        seconds (0.004)\n"
			"  --probe WORD       clock, measured or predicted (predicted)\n"
			"  --depth N          0 to 1024 (1)\n"
			"  --units N          per rank, each of 1e-7 s to compute and to move at least (1000)\n"
			"  --step X           seconds to compute all of them once (0.01)\n"
			"  --seconds X        of work per rank (60)\n"
			"  --no-barrier       ranks wait in balancing phases only\n"
			"  --target X         balancing period, seconds; 0: by the library (0)\n"
			"  --threshold X      --profit X, --no-filter, --no-prompt, --no-steady: of the\n"
			"                     decision (0.03, 5)\n"
			"  --ports N          transfers that a rank receives in a phase; 0: any number (0)\n"
			"  --omit N           transfers of fewer units are left out (0)\n"
			"  --restricted       between neighbours only\n"
			"  --interact X       seconds of CPU that a phase costs (0.00002)\n"
			"  --move-all X       seconds to move all data to another rank (0.1)\n"
			"\n"
			"program: the thesis' programs on its machine, in simulated time\n"
			"  --app WORD         mm, sor, sor2000 or lu (mm)\n"
			"  --load WORD        none, constant or oscillating, on the first CPU (oscillating)\n"
			"  --period X         of an oscillating load, seconds (60)\n"
			"  --ranks SWEEP      1 to 8 (2:8:1)\n"
			"  --compare WORD     settings: none, the thesis', equant's; or one mechanism: depth,\n"
			"                     grain, period, threshold, filter, profit,\n"
			"                     steady (settings)\n"
			"\n"
			"predict: the formula for such a program beside its simulated runs\n"
			"  --app, --period, --ranks, --late, --answer  as of program and oscillating\n"
			"  --costs X          times as long moves (1)\n"
			"  --offset           times the efficiency without load\n"
			"  --unrestricted     moves between any two CPUs\n"
			"\n"
			"trace: rate and work of the loaded CPU of such a run over time\n"
			"  --app (sor), --load, --period  as of program, --ranks N (4)\n"
			"  --setting WORD     thesis, equant or unfiltered (thesis)\n"
			"\n"
			"selfsched: schemes that hand out a loop of two dimensions, and who computes how long\n"
			"  --schemes WORD     paper: tss, dtss and trees; or all, for columns: one, or\n"
			"                     for rectangles: two (paper)\n"
			"  --print WORD       time, ratio to the first scheme, speedup or workers (time)\n"
			"  --workload WORD    mandelbrot, uniform, increasing, decreasing, conditional\n"
			"                     (mandelbrot)\n"
			"  --size SWEEP       columns and rows, up to 16000 (1000)\n"
			"  --maxiter SWEEP    of mandelbrot (100)\n"
			"  --workers SWEEP    up to 64 (8)\n"
			"  --power N          of the faster half of them (2)\n"
			"  --order WORD       who asks first: fast, slow or mixed (fast)\n"
			"  --chunk N          of css and trees (10)\n"
			"  --step X           seconds of a slow worker for an inner step (1e-6)\n"
			"  --message X        seconds for a request, or an answer (1e-4)\n"
			"  --service X        seconds of the master per request (1e-4)\n"
			"\n"
			"fill (--blocks), timeline (--loads, --grain, --barriers, --equal), sampling (--sample),\n"
			"sampled (--time), periods (--quantum), cycle and moves: for the figures below\n"
			"\n"
			"figure: a figure of the thesis, or all, by these models\n"
			"  equant simulate figure --list\n"
			"  equant simulate figure NUMBER [--json] [--svg FILE]\n"
			"  equant simulate figure NUMBER|all --dir DIR   NUMBER.json and NUMBER.svg of each\n",
	},
	{
		.name = "help",
		.run = equant_cmd_help,
		.summary = "this list; `help env`: options; `help COMMAND`: one command",
		.usage = "Usage: equant help [env | COMMAND]\n",
	},
	{
		.name = "version",
		.run = equant_cmd_version,
		.summary = "print the version",
		.usage = "Usage: equant version\n",
	},
	{ 0 },
};

const struct equant_command *equant_commands(void)
{
	return commands;
}

const struct equant_command *equant_find_command(const char *name)
{
	for (const struct equant_command *command = commands; command->name; command++)
		if (!strcmp(command->name, name))
			return command;
	return NULL;
}

int equant_cmd_version(int argc, char **argv)
{
	if (argc > 1) {
		fprintf(stderr, "equant version: unexpected argument '%s'\n", argv[1]);
		return EQUANT_EXIT_USAGE;
	}
	printf("equant %s\n", EQUANT_VERSION);
	return 0;
}

/* The usual spellings of two subcommands. */
static const char *canonical(const char *word)
{
	if (equant_asks_for_help(word))
		return "help";
	if (!strcmp(word, "--version"))
		return "version";
	return word;
}

/*
 * A file that is opened must not take the place of a stream that was closed.  To read or write there is the
 * same error as before, as /dev/null is open for the other.  0 or -errno.
 */
static int hold_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			return -errno;
	return 0;
}

int main(int argc, char **argv)
{
	const struct equant_command *command;
	char name[32];
	int status;

	status = hold_streams();
	if (status) {
		fprintf(stderr, "equant: /dev/null: %s\n", strerror(-status));
		return 1;
	}
	if (argc < 2) {
		fputs("equant: which command? See `equant help`.\n", stderr);
		return EQUANT_EXIT_USAGE;
	}
	command = equant_find_command(canonical(argv[1]));
	if (!command) {
		fprintf(stderr, "equant: unknown command '%s'; see `equant help`\n", argv[1]);
		return EQUANT_EXIT_USAGE;
	}
	if (argc == 3 && equant_asks_for_help(argv[2])) {
		fputs(command->usage, stdout);
		return output_flush(command->name);
	}
	/* Who started us may have ignored it; the kernel keeps no status of children then. */
	signal(SIGCHLD, SIG_DFL);
	/* option_next() begins its messages with it. */
	snprintf(name, sizeof(name), "equant %s", command->name);
	argv[1] = name;
	status = command->run(argc - 1, argv + 1);
	return status ? status : output_flush(command->name);
}
