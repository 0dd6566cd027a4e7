/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Schedules of task graphs on unequal processors: a graph, a machine, schedulers that say where
 * and when each task runs and each message travels, and a checker that believes none of them.
 * Pure functions: they know neither MPI nor the kernel, keep no state, may be called from any
 * thread on different objects, and give the same answer for the same arguments everywhere.
 *
 * References:
 * P.-S. Sung, G.-J. Lai, A Study of Enhancing Computing Performance on Heterogeneous Environments.
 * H. Topcuoglu, S. Hariri, M.-Y. Wu, Performance-Effective and Low-Complexity Task Scheduling for
 * Heterogeneous Computing, IEEE Transactions on Parallel and Distributed Systems 13(3), 2002.
 * G. C. Sih, E. A. Lee, A Compile-Time Scheduling Heuristic for Interconnection-Constrained
 * Heterogeneous Processor Architectures, same journal 4(2), 1993.
 *
 * Tasks, edges and processors are counted from 0.  Units: work, data and time in any that fit each
 * other; rates are times per unit, so a larger rate is a slower processor or channel.
 *
 * Errors: 0 or -errno; NULL and errno from what returns a pointer.  @why, where it is not NULL,
 * gets one line about what is wrong, and @why_size is its size.
 */
#ifndef EQUANT_DAG_H
#define EQUANT_DAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <equant/export.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EQUANT_DAG_NAME 32
#define EQUANT_DAG_TASKS (1 << 24)
#define EQUANT_DAG_EDGES (1 << 26)
#define EQUANT_DAG_PROCESSORS 4096
#define EQUANT_DAG_OPTIMUM 10
#define EQUANT_DAG_MEMORY ((uint64_t)1 << 48)
#define EQUANT_DAG_UNLIMITED UINT64_MAX

/* ---- the graph --------------------------------------------------------------- */

/**
 * struct equant_dag_task - one task
 * @name: for those who read the schedule; empty if it was given none
 * @work: w(n_i), units of work
 * @memory: that it takes on its processor, from the beginning of the program to its end, 0 if it was
 *	not said
 */
struct equant_dag_task {
	char name[EQUANT_DAG_NAME];
	double work;
	uint64_t memory;
};

/**
 * struct equant_dag_edge - task @to needs what task @from leaves
 * @from: task
 * @to: task
 * @data: c_ij, units of data; a message only if the two run on different processors
 */
struct equant_dag_edge {
	int from;
	int to;
	double data;
};

/**
 * struct equant_dag - tasks and what they need from each other
 * @tasks: n
 * @edges: e
 * @task: n of them
 * @edge: e of them, in the order in which they were added
 *
 * To be read; to be written with the functions below only.
 */
struct equant_dag {
	int tasks;
	int edges;
	struct equant_dag_task *task;
	struct equant_dag_edge *edge;
};

/** equant_dag_new() - a graph without tasks, or NULL and errno: ENOMEM */
EQUANT_API struct equant_dag *equant_dag_new(void);

/** equant_dag_free() - free it; NULL is nothing */
EQUANT_API void equant_dag_free(struct equant_dag *dag);

/**
 * equant_dag_add_task() - add a task
 * @name: copied; NULL for none
 * @work: units of work, 0 or more
 *
 * Return: its number, -EINVAL for work that is negative, infinite or not a number, or a name that
 * has control characters or quotes, -ENAMETOOLONG, -E2BIG for more than EQUANT_DAG_TASKS, -ENOMEM.
 */
EQUANT_API int equant_dag_add_task(struct equant_dag *dag, const char *name, double work);

/**
 * equant_dag_add_edge() - let task @to need @data units of data of task @from
 *
 * Return: 0, -ENOENT for a task that is not there, -EINVAL for data that is negative, infinite or
 * not a number, -E2BIG for more than EQUANT_DAG_EDGES, -ENOMEM.
 */
EQUANT_API int equant_dag_add_edge(struct equant_dag *dag, int from, int to, double data);

/**
 * equant_dag_task_memory() - how much memory @task takes
 * @memory: in any unit, the same as that of processors
 *
 * Return: 0, -ENOENT for a task that is not there, -EINVAL for more than EQUANT_DAG_MEMORY.
 */
EQUANT_API int equant_dag_task_memory(struct equant_dag *dag, int task, uint64_t memory);

/**
 * equant_dag_check() - can the graph be scheduled?
 *
 * Return: 0, -EINVAL for a graph without tasks, -EEXIST if two edges join the same tasks the same
 * way, -ELOOP for a cycle (@why names a shortest one, in large graphs the shortest that was found in
 * 2^24 steps), -ENOMEM.
 */
EQUANT_API int equant_dag_check(const struct equant_dag *dag, char *why, size_t why_size);

/**
 * struct equant_dag_shape - what equant_dag_generate() makes
 * @sz: sizeof(struct equant_dag_shape)
 * @size: see equant_dag_generate()
 * @work: mean work of a task, above 0
 * @spread: work and data are drawn uniformly from their mean -+ this part of it, 0 to 1
 * @comp_comm: mean work of a task over mean data of an edge: Sung and Lai's CCR
 * @comm_comp: the inverse, Topcuoglu's CCR; exactly one of the two is not 0
 * @layers: of "layered": layers of tasks, 0 for the root of @size
 * @degree: of "layered": edges into each task below the first layer, 0 for 3; fewer where
 *	the layer above has fewer tasks
 * @seed: the same one gives the same graph
 */
struct equant_dag_shape {
	size_t sz;
	int size;
	double work;
	double spread;
	double comp_comm;
	double comm_comp;
	int layers;
	int degree;
	uint64_t seed;
};

/**
 * equant_dag_generate() - a graph of a family
 * @family: "fork": a task before @size others.  "join": one after @size others.  "fork-join": one
 *	before and one after.  "fft": the butterfly of @size points, a power of 2: log2 @size + 1
 *	rows of @size tasks.  "gauss": Gaussian elimination of a matrix of @size columns: for
 *	each column k a pivot task, then one for each column right of it, which the next pivot or
 *	the same column's next task needs.  "lu": LU decomposition without pivoting of @size x
 *	@size blocks: the diagonal block, those right of and below it, and each block of the rest,
 *	which needs one of either.  "layered": @size tasks dealt out at random to layers of at
 *	least one task, each with edges from tasks of the layer above.
 * @shape: see there
 *
 * The ratio of mean work and mean data is met exactly, for processors and channels of rate 1.
 *
 * Source: Sung and Lai, section 4.  They name the families but print none of the graphs; the
 * decomposition by columns has the graph of "gauss", so "lu" is the one by blocks.
 *
 * Return: the graph, or NULL and errno: EINVAL for an unknown family or a bad @shape, E2BIG,
 * EOVERFLOW for work or data that a double does not hold, ENOMEM.
 */
EQUANT_API struct equant_dag *equant_dag_generate(const char *family,
						  const struct equant_dag_shape *shape, char *why,
						  size_t why_size);

/**
 * equant_dag_read() - a graph from a file
 * @path: file
 * @format: "dot", "stg" or "json", as Documentation/dag.rst describes them; NULL: by the ending of
 *	@path, which is .dot or .gv, .stg, or .json
 *
 * Return: a graph that passes equant_dag_check(), or NULL and errno: EINVAL for an unknown format or
 * a fault in the file (@why names file, line and word), what equant_dag_check() and the system say.
 */
EQUANT_API struct equant_dag *equant_dag_read(const char *path, const char *format, char *why,
					      size_t why_size);

/** equant_dag_family() - the name of family number @index, NULL behind the last one */
EQUANT_API const char *equant_dag_family(int index);

/* ---- the machine --------------------------------------------------------------- */

/**
 * enum equant_dag_channels - how messages get in each other's way
 * @EQUANT_DAG_FREE: not at all: the classic model
 * @EQUANT_DAG_SHARED: two processors have one channel for both directions, one message at a
 *	time: Sung and Lai's
 * @EQUANT_DAG_DUPLEX: two processors have one channel for each direction, one message at a time
 */
enum equant_dag_channels {
	EQUANT_DAG_FREE,
	EQUANT_DAG_SHARED,
	EQUANT_DAG_DUPLEX,
};

/**
 * enum equant_dag_overlap - may processors compute while they send and receive?
 * @EQUANT_DAG_NO_OVERLAP: no: a message occupies both its processors as long as it lasts
 * @EQUANT_DAG_OVERLAP: yes: Sung and Lai's
 * @EQUANT_DAG_PROGRESS: computation helps communication along: a message begins only while neither
 *	of its processors is inside a task, and goes on while they compute: MPI without a thread
 *	of its own, and tasks that call it now and then
 */
enum equant_dag_overlap {
	EQUANT_DAG_NO_OVERLAP,
	EQUANT_DAG_OVERLAP,
	EQUANT_DAG_PROGRESS,
};

/**
 * struct equant_dag_machine - p processors and what joins them
 * @processors: p
 * @rate: alpha_k, time of a unit of work, p numbers
 * @tasks: rows of @cost
 * @cost: time of task i on processor k at [i * p + k], instead of work and rates; or NULL
 * @startup: of a message from k to l, at [k * p + l]
 * @data_rate: beta_kl, time of a unit of data from k to l, at [k * p + l]
 * @channels: which messages exclude each other
 * @overlap: do messages get in the way of tasks?
 * @memory: of each processor, p numbers; EQUANT_DAG_UNLIMITED if it was not said
 * @pins: how many in @pin
 * @pin: by task: the only processor on which it may run, or -1
 *
 * All tasks that a processor runs have their memory there at the same time.
 *
 * A message from k to l takes startup_kl + data beta_kl; there is none between tasks on the same
 * processor.  To be read; to be written with the functions below only.
 */
struct equant_dag_machine {
	int processors;
	double *rate;
	int tasks;
	double *cost;
	double *startup;
	double *data_rate;
	enum equant_dag_channels channels;
	enum equant_dag_overlap overlap;
	uint64_t *memory;
	int pins;
	int *pin;
};

/**
 * equant_dag_machine_new() - @processors of rate 1, links without start-up and of rate 1, no
 * contention, overlap
 *
 * Return: the machine, or NULL and errno: EINVAL for less than 1 processor, E2BIG for more than
 * EQUANT_DAG_PROCESSORS, ENOMEM.
 */
EQUANT_API struct equant_dag_machine *equant_dag_machine_new(int processors);

/**
 * equant_dag_machine_read() - a machine from a file
 * @path: file, in JSON as Documentation/dag.rst describes it
 *
 * Return: the machine, or NULL and errno: EINVAL for a fault in the file (@why names file, line and
 * word), what the system says.
 */
EQUANT_API struct equant_dag_machine *equant_dag_machine_read(const char *path, char *why,
							      size_t why_size);

/**
 * equant_dag_machine_random() - rates drawn uniformly from their mean -+ a part of it
 * @alpha: mean rate of processors, above 0
 * @beta: mean rate of links, above 0; the same one in both directions
 * @spread: that part, 0 to below 1
 *
 * Shared channels and overlap.  Source: Sung and Lai, section 4.
 *
 * Return: as above.
 */
EQUANT_API struct equant_dag_machine *
equant_dag_machine_random(int processors, double alpha, double beta, double spread, uint64_t seed);

/** equant_dag_machine_free() - free it; NULL is nothing */
EQUANT_API void equant_dag_machine_free(struct equant_dag_machine *machine);

/**
 * equant_dag_machine_rate() - alpha of @processor
 *
 * Return: 0, -ENOENT for a processor that is not there, -EINVAL for a rate that is not above 0 and
 * finite.
 */
EQUANT_API int equant_dag_machine_rate(struct equant_dag_machine *machine, int processor,
				       double rate);

/**
 * equant_dag_machine_costs() - what each task takes on each processor
 * @tasks: rows
 * @costs: @tasks rows of as many numbers as processors; copied
 *
 * Return: 0, -EINVAL for no tasks or a cost that is negative, infinite or not a number, -ENOMEM.
 */
EQUANT_API int equant_dag_machine_costs(struct equant_dag_machine *machine, int tasks,
					const double *costs);

/**
 * equant_dag_machine_link() - the link from processor @from to processor @to, this way only
 *
 * Return: 0, -ENOENT for a processor that is not there, -EINVAL for a start-up that is negative, or
 * a rate that is not above 0, or one that is infinite, or @from = @to.
 */
EQUANT_API int equant_dag_machine_link(struct equant_dag_machine *machine, int from, int to,
				       double startup, double rate);

/** equant_dag_machine_channels() - 0, or -EINVAL for no such kind */
EQUANT_API int equant_dag_machine_channels(struct equant_dag_machine *machine,
					   enum equant_dag_channels channels);

/** equant_dag_machine_overlap() - 0, or -EINVAL for no such kind */
EQUANT_API int equant_dag_machine_overlap(struct equant_dag_machine *machine,
					  enum equant_dag_overlap overlap);

/**
 * equant_dag_machine_memory() - how much memory @processor has for tasks
 *
 * Return: 0, -ENOENT for a processor that is not there, -EINVAL for more than EQUANT_DAG_MEMORY that
 * is not EQUANT_DAG_UNLIMITED.
 */
EQUANT_API int equant_dag_machine_memory(struct equant_dag_machine *machine, int processor,
					 uint64_t memory);

/**
 * equant_dag_machine_pin() - let @task run on @processor only; on any, if that is -1
 *
 * Return: 0, -ENOENT for a processor that is not there, -EINVAL for a task below 0 or not below
 * EQUANT_DAG_TASKS, -ENOMEM.
 */
EQUANT_API int equant_dag_machine_pin(struct equant_dag_machine *machine, int task, int processor);

/* ---- schedules ------------------------------------------------------------------ */

/**
 * struct equant_dag_slot - @task runs on @processor from @start to @finish
 */
struct equant_dag_slot {
	int task;
	int processor;
	double start;
	double finish;
};

/**
 * struct equant_dag_message - the data of @edge travels from @start to @finish
 * @edge: number
 * @from: processor
 * @to: processor
 * @start: time
 * @finish: time
 */
struct equant_dag_message {
	int edge;
	int from;
	int to;
	double start;
	double finish;
};

/**
 * struct equant_dag_schedule - where and when
 * @scheduler: who made it
 * @slots: how many in @slot; n
 * @slot: by processor, and in the order in which the processor runs them
 * @messages: how many in @message
 * @message: one for each edge between tasks on different processors, by @start
 * @makespan: the largest @finish of a slot
 */
struct equant_dag_schedule {
	const char *scheduler;
	int slots;
	struct equant_dag_slot *slot;
	int messages;
	struct equant_dag_message *message;
	double makespan;
};

/**
 * struct equant_dag_options - parts of a scheduler to leave out or replace
 * @sz: sizeof(struct equant_dag_options)
 * @without_a: DTS: the task of highest priority is always the candidate
 * @without_b: DTS: no second task goes before the candidate
 * @insertion: DTS: every task takes the earliest idle time that holds it, as in HEFT; and
 *	without B
 */
struct equant_dag_options {
	size_t sz;
	bool without_a;
	bool without_b;
	bool insertion;
};

/**
 * equant_dag_schedule() - plan @dag on @machine
 * @scheduler: a name, see equant_dag_scheduler()
 * @options: or NULL
 *
 * Common to all schedulers: a task's messages are sent in the order in which they can be (ties in
 * the order of the edges), each in the earliest time at which its channel, and without overlap its
 * processors, are free long enough, and with "progress" no task is running on these.  They see the contention that @machine has.  Ties go to the
 * task that became ready first and to the processor of the lowest number.
 *
 * No task goes where it may not run: another processor than it is pinned to, or one whose memory
 * would then not suffice, there or for those that have to follow.  Means over processors are over
 * all of them nevertheless.
 *
 * "heft": Topcuoglu, Hariri and Wu 2002, section 5.1: by falling upward rank, to the processor of
 * earliest finish, with insertion.  O(e p) and the search for idle times.
 *
 * "cpop": same, section 5.2: the ready task of highest upward + downward rank; tasks of the
 * critical path to the processor that has the least of it, others as in "heft".  Of the processors
 * on which all of the path that is not pinned may run, if there are any; a task that may not run
 * there goes as others do.
 *
 * "dls": Sih and Lee 1993, equations 5 to 8: of all ready tasks and processors the pair of highest
 * dynamic level, SL - start + delta, after what the processor has; SL is the longest path to the
 * end by median costs and without messages, delta what the processor saves of the median cost.
 * "dls-plain": without delta, as Sung and Lai print it (section 2.1).
 *
 * "dts-printed": Sung and Lai, section 3, to the letter.  lct(n_i) = max(c_ij beta + w(n_i) alpha +
 * lct(n_j)) with mean rates, 0 at the end; the dominant task n_a has max over tasks and
 * processors of est + w alpha + lct, which is where it ends last; that processor is P(n_a).
 * Priority(n_b) = lct - w alpha - est, P(n_b) is where it ends first.  Line 7 takes the
 * processor of least est.
 * "dts-repaired": lct(n_i) = max(c_ij beta + w(n_j) alpha + lct(n_j)), so that w(n_i) counts once;
 * P(n_a) is where n_a ends first, and n_a the task for which that end + lct is largest; line 7
 * takes the processor of earliest completion, as condition A does.  It is what "dts" means, too,
 * since its schedules are the shorter ones in most of the paper's experiments.
 * Both: condition A compares start times on P(n_a).  P_Time is when the last task on the
 * candidate's processor ends, before the candidate is placed there; its messages go before those
 * of the second task, which has to fit between P_Time and the candidate.
 *
 * These four keep, for each ready task and processor, the start time, and recompute what the last
 * placement changed: O(p) for each task once and O(1) a ready task and step without contention
 * where the paper has O((n + e) p).  Without overlap, or with "progress", all of it is recomputed,
 * and where memory is limited whether a task may run on a processor is.
 *
 * "single": all tasks on the processor that is fastest with all of them, of those that may run all:
 * the upper bound.
 *
 * Return: the schedule, or NULL and errno: what equant_dag_check() says; EINVAL for an unknown
 * scheduler, a table of costs for another number of tasks, or a pinned task that is not there;
 * ENOSPC if memory fits no schedule (@why names a task and how much is missing), if no way to share
 * it out was found in 2 10^7 steps, or if no processor may run all tasks of "single"; EOVERFLOW if
 * all tasks and messages one after the other take longer than a double can hold; ENOMEM.
 */
EQUANT_API struct equant_dag_schedule *equant_dag_schedule(const char *scheduler,
							   const struct equant_dag *dag,
							   const struct equant_dag_machine *machine,
							   const struct equant_dag_options *options,
							   char *why, size_t why_size);

/** equant_dag_schedule_free() - free it; NULL is nothing */
EQUANT_API void equant_dag_schedule_free(struct equant_dag_schedule *schedule);

/**
 * equant_dag_schedule_write() - a schedule to a file
 * @path: file, which becomes JSON as Documentation/dag.rst describes it
 *
 * Return: 0, or what the system says.
 */
EQUANT_API int equant_dag_schedule_write(const struct equant_dag_schedule *schedule,
					 const char *path, char *why, size_t why_size);

/**
 * equant_dag_schedule_read() - and back; to the last bit
 * @path: file
 * @dag: the graph that it is of: it has each task once, and messages of its edges
 *
 * What else is wrong with it is for equant_dag_verify() to say.
 *
 * Return: a schedule by the name of "read", or NULL and errno: EINVAL for a fault in the file (@why
 * names file, line and word), what the system says.
 */
EQUANT_API struct equant_dag_schedule *equant_dag_schedule_read(const char *path,
								const struct equant_dag *dag,
								char *why, size_t why_size);

/** equant_dag_scheduler() - the name of scheduler number @index, NULL behind the last one */
EQUANT_API const char *equant_dag_scheduler(int index);

/**
 * equant_dag_improve() - a schedule that is shorter, if a search finds one
 * @schedule: of @dag on @machine
 *
 * Moves one task at a time to another processor and places all tasks again, in the order in which
 * they started, with insertion; a move that makes the schedule shorter stays.  Ends when no move
 * does, or after 2 10^7 placements of a task.
 *
 * Return: a schedule under the name of @schedule, never longer than it nor than all tasks on the
 * best single processor that may run them; NULL and errno as equant_dag_schedule(), and EINVAL for a @schedule that
 * does not pass equant_dag_verify().
 */
EQUANT_API struct equant_dag_schedule *
equant_dag_improve(const struct equant_dag *dag, const struct equant_dag_machine *machine,
		   const struct equant_dag_schedule *schedule, char *why, size_t why_size);

/**
 * equant_dag_optimum() - the shortest schedule of a small graph
 *
 * Tries all processors and orders of tasks and messages, as far as bounds do not rule them out: the
 * time that takes is exponential, and longest for many messages on processors that are alike.
 *
 * Return: the schedule, or NULL and errno: E2BIG for more than EQUANT_DAG_OPTIMUM tasks, else as
 * equant_dag_schedule().
 */
EQUANT_API struct equant_dag_schedule *equant_dag_optimum(const struct equant_dag *dag,
							  const struct equant_dag_machine *machine,
							  char *why, size_t why_size);

/**
 * equant_dag_replay() - what becomes of a schedule on another machine
 * @machine: what @schedule was made for
 * @actual: another one with as many processors
 *
 * Tasks stay where they are, and every processor and channel keeps its order; all of it happens as
 * early as that allows.  On the same machine, never later than in @schedule.
 *
 * Return: the schedule on @actual, or NULL and errno: EINVAL for a @schedule that does not pass
 * equant_dag_verify(), another number of processors, or tasks that may not run there on @actual, else
 * as equant_dag_schedule().
 */
EQUANT_API struct equant_dag_schedule *equant_dag_replay(const struct equant_dag *dag,
							 const struct equant_dag_machine *machine,
							 const struct equant_dag_schedule *schedule,
							 const struct equant_dag_machine *actual,
							 char *why, size_t why_size);

/**
 * equant_dag_verify() - is @schedule one of @dag on @machine?
 *
 * Knows the model only: every task in exactly one slot, as long as its cost; every processor's
 * slots in order of time and one at a time; every edge between processors with exactly one message,
 * of its length, sent after its data is there and received before it is needed; channels one
 * message at a time; without overlap processors one message or task at a time, with "progress" no
 * message beginning inside a task of either processor; pinned tasks, and the memory of each
 * processor; the makespan.
 * Exact: no tolerance.
 *
 * Return: 0, -EINVAL if not, with the first fault in @why, what equant_dag_check() says, -ENOMEM.
 */
EQUANT_API int equant_dag_verify(const struct equant_dag *dag,
				 const struct equant_dag_machine *machine,
				 const struct equant_dag_schedule *schedule, char *why,
				 size_t why_size);

/**
 * equant_dag_ranks() - lengths of paths by mean costs
 * @up: n numbers: from a task to the end, itself included; or NULL
 * @down: n numbers: from the beginning to a task, without it; or NULL
 *
 * Topcuoglu, Hariri and Wu 2002, equations 7 to 9: a task's cost is the mean over processors, a
 * message's the mean over pairs of different processors.
 *
 * Return: 0, or an error as equant_dag_schedule().
 */
EQUANT_API int equant_dag_ranks(const struct equant_dag *dag,
				const struct equant_dag_machine *machine, double *up, double *down,
				char *why, size_t why_size);

/**
 * struct equant_dag_bounds - what no schedule beats, and what every good one should
 * @critical_path: longest path, each task on the processor that is fastest with it, of those that it
 *	may run on as far as it is pinned, no messages
 * @load: all work shared out perfectly: sum of work over the sum of 1 / alpha, or, with a table
 *	of costs, the sum of each task's least cost over p
 * @lower: the larger one, less what rounding may have added
 * @single: all tasks on one processor, the best for that, of those that may run all of them; or
 *	infinite
 * @processor: that one, or -1
 */
struct equant_dag_bounds {
	double critical_path;
	double load;
	double lower;
	double single;
	int processor;
};

/** equant_dag_bounds() - 0, or an error as equant_dag_schedule() */
EQUANT_API int equant_dag_bounds(const struct equant_dag *dag,
				 const struct equant_dag_machine *machine,
				 struct equant_dag_bounds *bounds, char *why, size_t why_size);

#ifdef __cplusplus
}
#endif

#endif /* EQUANT_DAG_H */
