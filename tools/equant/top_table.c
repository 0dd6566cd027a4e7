// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A reading as text: two lines about all tasks, a heading, a row per task.
 */
#include <math.h>
#include <time.h>

#include <equant/abi.h>

#include "plain.h"
#include "top.h"

#define LINE_SIZE 512
#define CLEAR_LINE "\033[K"
#define BOLD "\033[1m"
#define PLAIN "\033[0m"

struct page {
	FILE *out;
	int columns;
	bool screen;
	int line;
};

/* No text that came from elsewhere may reach the terminal as a command. */
static void put_line(struct page *page, const char *text, bool bold)
{
	uint32_t code;
	size_t bytes;

	if (page->screen)
		fprintf(page->out, "%s%s", page->line ? "\n" : "", bold ? BOLD : "");
	for (int i = 0; *text && (page->columns <= 0 || i < page->columns); i++, text += bytes) {
		bytes = plain_next(text, &code);
		if (plain_is_shown(code))
			fwrite(text, 1, bytes, page->out);
		else
			fputc('?', page->out);
	}
	fputs(page->screen ? PLAIN CLEAR_LINE : "\n", page->out);
	page->line++;
}

static const char *number(char *text, size_t size, const char *format, double value)
{
	if (isnan(value))
		return "-";
	/* Every caller's format is for a double. */
	snprintf(text, size, format, value);
	return text;
}

static const char *percent(char *text, size_t size, double fraction)
{
	return number(text, size, "%.0f%%", 100 * fraction);
}

/* Three digits, and what they are multiplied by. */
static const char *amount(char *text, size_t size, double value)
{
	static const char units[] = " kMGTP";
	size_t unit = 0;

	if (isnan(value))
		return "-";
	for (; value >= 999.5 && units[unit + 1]; unit++)
		value /= 1000;
	snprintf(text, size, unit ? "%.3g%c" : "%.3g", value, units[unit]);
	return text;
}

static char letter(uint32_t state)
{
	switch (state) {
	case EQUANT_STATE_RUN:
		return 'R';
	case EQUANT_STATE_WAIT:
		return 'W';
	case EQUANT_STATE_SLEEP:
		return 'S';
	default:
		return '?';
	}
}

static void put_head(struct page *page, const struct top_view *view)
{
	double run = 0, wait = 0;
	size_t contended = 0;
	int used;
	time_t now = time(NULL);
	char line[LINE_SIZE], clock[16] = "";
	struct tm tm;

	for (size_t i = 0; i < view->nr; i++) {
		const struct top_row *row = &view->rows[i];

		run += isnan(row->run) ? 0 : row->run;
		wait += isnan(row->wait) ? 0 : row->wait;
		contended += row->contended > 0.01;
	}
	if (localtime_r(&now, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	snprintf(line, sizeof(line), "equant top  %s  probe %s, %u of %u records taken, every %g s",
		 clock, view->source, view->info.attached, view->info.records,
		 view->options->interval);
	put_line(page, line, false);
	used = snprintf(line, sizeof(line),
			"%zu tasks: running on %.2f CPUs, waiting for %.2f more; contended: %zu",
			view->nr, run, wait, contended);
	if (view->info.refused)
		snprintf(line + used, sizeof(line) - (size_t)used, "; beyond a limit: %u",
			 view->info.refused);
	put_line(page, line, false);
	put_line(page,
		 "    TID USER     CPU S  RUN WAIT SHARE EXPECT SPEED QUANTUM TASKS CONT COMMAND",
		 true);
}

static void put_row(struct page *page, const struct top_row *row)
{
	const struct equant_watch_task *task = row->task;
	char run[16], wait[16], share[16], expected[16], speed[16], quantum[16], contended[16];
	char line[LINE_SIZE], cpu[16] = "-", tasks[16] = "-", flags[64];
	char user[PLAIN_SIZE(TOP_NAME_SIZE)], command[PLAIN_SIZE(TOP_NAME_SIZE)];

	if (task->status.cpu >= 0)
		snprintf(cpu, sizeof(cpu), "%d", task->status.cpu);
	if (task->status.runnable)
		snprintf(tasks, sizeof(tasks), "%u", task->status.runnable);
	top_flags(task, flags, sizeof(flags));
	snprintf(line, sizeof(line), "%7u %-8.8s %3s %c %4s %4s %5s %6s %5s %7s %5s %4s %s%s%s",
		 task->tid, plain_text(user, sizeof(user), row->who->user), cpu,
		 letter(task->state), percent(run, sizeof(run), row->run),
		 percent(wait, sizeof(wait), row->wait),
		 number(share, sizeof(share), "%.3f", row->share),
		 number(expected, sizeof(expected), "%.3f", row->expected),
		 amount(speed, sizeof(speed), row->speed),
		 number(quantum, sizeof(quantum), "%.1f ms", 1e3 * row->quantum), tasks,
		 percent(contended, sizeof(contended), row->contended),
		 plain_text(command, sizeof(command), row->who->command), *flags ? "  " : "",
		 flags);
	put_line(page, line, false);
}

static void put_events(struct page *page, const struct top_events *events)
{
	char line[LINE_SIZE];

	for (int i = 0; i < events->nr; i++) {
		top_event_text(&events->last[i], line, sizeof(line));
		put_line(page, line, false);
	}
}

/* Events are below the rows, where there is a screen of some size. */
static int lines_of_events(const struct top_view *view, int lines)
{
	return view->events && lines > 2 * TOP_EVENTS ? view->events->nr : 0;
}

size_t top_table(FILE *out, const struct top_view *view, size_t first, int lines, int columns,
		 bool screen)
{
	struct page page = { .out = out, .columns = columns, .screen = screen };
	int below = lines_of_events(view, lines);
	size_t room = view->nr;
	char line[LINE_SIZE];

	lines -= below;
	put_head(&page, view);
	if (lines > 0 && (size_t)lines < view->nr + (size_t)page.line)
		room = lines > page.line + 1 ? (size_t)(lines - page.line - 1) : 0;
	for (size_t i = first; i < view->nr && i < first + room; i++)
		put_row(&page, &view->rows[i]);
	if (room < view->nr && (lines <= 0 || page.line < lines)) {
		snprintf(line, sizeof(line), "rows %zu to %zu of %zu", first + 1,
			 first + room < view->nr ? first + room : view->nr, view->nr);
		put_line(&page, line, false);
	}
	if (below)
		put_events(&page, view->events);
	return room;
}
