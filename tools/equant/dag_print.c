// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * What `equant dag` prints: for people, and as JSON.
 */
#include "dag.h"
#include "json.h"
#include "plain.h"

static const char *channels(const struct equant_dag_machine *machine)
{
	static const char *const names[] = { "free", "shared", "duplex" };

	return names[machine->channels];
}

static const char *overlap(const struct equant_dag_machine *machine)
{
	static const char *const names[] = { "no overlap", "overlap", "overlap by progress" };

	return names[machine->overlap];
}

static void print_head(const struct dag_report *report)
{
	const struct equant_dag_bounds *bounds = &report->bounds;

	printf("%s: %d tasks, %d edges; %d processors, %s channels, %s\n", report->path,
	       report->dag->tasks, report->dag->edges, report->machine->processors,
	       channels(report->machine), overlap(report->machine));
	printf("no schedule is shorter than %.6g; ", bounds->lower);
	if (bounds->processor < 0)
		printf("no processor may run all tasks\n\n");
	else
		printf("all tasks on processor %d: %.6g\n\n", bounds->processor, bounds->single);
}

/* ---- compare ------------------------------------------------------------------------------- */

static void print_row(const struct dag_report *report, const char *name,
		      const struct equant_dag_schedule *schedule,
		      const struct equant_dag_schedule *improved)
{
	double makespan = schedule->makespan;

	printf("%-14s  %12.6g", name, makespan);
	if (report->bounds.lower > 0)
		printf("  %10.4g", makespan / report->bounds.lower);
	else
		printf("  %10s", "-");
	if (makespan > 0 && report->bounds.processor >= 0)
		printf("  %8.4g", report->bounds.single / makespan);
	else
		printf("  %8s", "-");
	if (improved)
		printf("  %12.6g", improved->makespan);
	printf("\n");
}

void dag_print_compare(const struct dag_report *report)
{
	print_head(report);
	printf("%-14s  %12s  %10s  %8s", "scheduler", "makespan", "of bound", "speed-up");
	printf(report->answers->improved ? "  %12s\n" : "\n", "improved");
	for (int i = 0; i < report->count; i++)
		print_row(report, report->answers[i].scheduler, report->answers[i].schedule,
			  report->answers[i].improved);
	if (report->optimum)
		print_row(report, "optimum", report->optimum, NULL);
}

/* ---- one schedule ------------------------------------------------------------------------------ */

static void print_processor(const struct dag_report *report,
			    const struct equant_dag_schedule *schedule, int processor)
{
	const struct dag_row row = { processor, processor };
	double start, finish, busy = 0;
	char name[DAG_NAME], shown[PLAIN_SIZE(DAG_NAME)];
	int at = 0;

	while (dag_next(report->dag, schedule, &row, &at, name, &start, &finish))
		busy += finish - start;
	printf("processor %d, busy %.6g:", processor, busy);
	at = 0;
	while (dag_next(report->dag, schedule, &row, &at, name, &start, &finish))
		printf(" %s@%.6g", plain_text(shown, sizeof(shown), name), start);
	printf("\n");
}

int dag_print_schedule(const struct dag_report *report)
{
	const struct equant_dag_schedule *shown = report->done ? report->done : report->planned;
	int err;

	print_head(report);
	printf("%s: %.6g", report->planned->scheduler, report->planned->makespan);
	if (report->answers->improved)
		printf(" improved");
	if (report->done)
		printf(", %.6g on the actual machine", report->done->makespan);
	printf("\n\n");
	err = dag_draw(stdout, report->dag, shown, report->machine->processors);
	printf("\n");
	for (int k = 0; k < report->machine->processors; k++)
		print_processor(report, shown, k);
	return err;
}

/* ---- JSON -------------------------------------------------------------------------------------- */

static void put_answer(struct json *json, const struct dag_answer *answer)
{
	json_open_object(json, NULL);
	json_string(json, "scheduler", answer->scheduler);
	json_number(json, "makespan", answer->schedule->makespan);
	if (answer->improved)
		json_number(json, "improved", answer->improved->makespan);
	json_close_object(json);
}

static void put_slot(struct json *json, const struct equant_dag *dag,
		     const struct equant_dag_slot *slot)
{
	json_open_object(json, NULL);
	json_integer(json, "task", slot->task);
	if (dag->task[slot->task].name[0])
		json_string(json, "name", dag->task[slot->task].name);
	json_number(json, "start", slot->start);
	json_number(json, "finish", slot->finish);
	json_close_object(json);
}

static void put_message(struct json *json, const struct equant_dag *dag,
			const struct equant_dag_message *message)
{
	const struct equant_dag_edge *edge = &dag->edge[message->edge];

	json_open_object(json, NULL);
	json_integer(json, "edge", message->edge);
	json_integer(json, "from_task", edge->from);
	json_integer(json, "to_task", edge->to);
	json_number(json, "data", edge->data);
	json_integer(json, "from", message->from);
	json_integer(json, "to", message->to);
	json_number(json, "start", message->start);
	json_number(json, "finish", message->finish);
	json_close_object(json);
}

static void put_schedule(struct json *json, const struct dag_report *report, const char *name,
			 const struct equant_dag_schedule *schedule)
{
	int at = 0;

	json_open_object(json, name);
	json_string(json, "scheduler", schedule->scheduler);
	json_number(json, "makespan", schedule->makespan);
	json_open_array(json, "processors");
	for (int k = 0; k < report->machine->processors; k++) {
		json_open_array(json, NULL);
		for (; at < schedule->slots && schedule->slot[at].processor == k; at++)
			put_slot(json, report->dag, &schedule->slot[at]);
		json_close_array(json);
	}
	json_close_array(json);
	json_open_array(json, "messages");
	for (int i = 0; i < schedule->messages; i++)
		put_message(json, report->dag, &schedule->message[i]);
	json_close_array(json);
	json_close_object(json);
}

void dag_print_json(const struct dag_report *report, bool compare)
{
	struct json json = { .out = stdout, .exact = true };

	json_open_object(&json, NULL);
	json_integer(&json, "tasks", report->dag->tasks);
	json_integer(&json, "edges", report->dag->edges);
	json_integer(&json, "processors", report->machine->processors);
	json_number(&json, "bound", report->bounds.lower);
	json_number(&json, "single", report->bounds.single);
	json_open_array(&json, "schedulers");
	for (int i = 0; i < report->count; i++)
		put_answer(&json, &report->answers[i]);
	json_close_array(&json);
	if (report->optimum)
		json_number(&json, "optimum", report->optimum->makespan);
	if (!compare)
		put_schedule(&json, report, "schedule", report->planned);
	if (report->done)
		put_schedule(&json, report, "actual", report->done);
	json_close_object(&json);
}
