/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * equant top: two snapshots become rows, rows become a screen, a table or a line.
 */
#ifndef EQUANT_TOOL_TOP_H
#define EQUANT_TOOL_TOP_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include <equant/watch.h>

#define TOP_NAME_SIZE 33
#define TOP_EVENTS 5 /* on the screen */

/**
 * struct top_options - what was asked for
 * @interval: seconds
 * @count: readings, 0 = until told to stop
 * @user: whose tasks only, (uid_t)-1 = anybody's
 * @command: of what name only, NULL = any
 * @threshold: share whose crossing is an event, 0 = none
 */
struct top_options {
	double interval;
	long count;
	uid_t user;
	const char *command;
	double threshold;
	bool json;
};

/**
 * struct top_events - the latest events, oldest first
 */
struct top_events {
	struct equant_watch_event last[TOP_EVENTS];
	int nr;
};

/**
 * struct top_who - whose task it is, and what it runs
 * @t_attach_ns: of the task that this was found out about, 0 = none
 * @pid: of its process in this pid namespace, 0 = cannot be seen from here
 * @uid: its user, valid with @pid
 * @user: the same by name, or its number
 */
struct top_who {
	uint64_t t_attach_ns;
	pid_t pid;
	uid_t uid;
	char user[TOP_NAME_SIZE];
	char command[TOP_NAME_SIZE];
};

/**
 * struct top_row - one task over one interval; NAN = not known
 * @elapsed: seconds, up to the instant of @task
 * @run: part of them in which it had a CPU
 * @wait: part of them in which it wanted one
 * @share: @run of both, measured
 * @expected: what the kernel's state predicts from now on
 * @speed: units per on-CPU second, as the task itself tells
 * @quantum: seconds
 * @contended: part of the time in which others wanted its CPU while it did
 */
struct top_row {
	const struct equant_watch_task *task;
	const struct top_who *who;
	double elapsed;
	double run;
	double wait;
	double share;
	double expected;
	double speed;
	double quantum;
	double contended;
};

/**
 * struct top_view - the latest reading
 * @rows: those that were asked for, by process and thread
 * @nr: how many
 * @time: CLOCK_MONOTONIC ns of the reading
 */
struct top_view {
	struct top_row *rows;
	size_t nr;
	uint64_t time;
	const char *source;
	struct equant_watch_info info;
	const struct top_options *options;
	const struct top_events *events;
};

struct top_readings;

/** top_readings_new() - for tables of up to @records tasks; NULL: no memory */
struct top_readings *top_readings_new(const struct top_options *options, uint32_t records);
void top_readings_free(struct top_readings *readings);

/**
 * top_read() - take a reading, compare it with the one before
 * @view: refers to memory of @readings, up to the next reading
 *
 * Tasks that are new are looked at since they attached.
 *
 * Return: 0, or what equant_watch_snapshot() failed with.
 */
int top_read(struct top_readings *readings, struct equant_watch *watch, struct top_view *view,
	     char *why, size_t why_size);

/** top_is_shown() - was the task of this record asked for, as of the last reading? */
bool top_is_shown(const struct top_readings *readings, uint32_t record);

/** top_find_out() - fill in @who for the task, unless that was done before */
void top_find_out(struct top_who *who, const struct equant_watch_task *task);

/** top_flags() - why shares cannot be predicted, "" if they can */
const char *top_flags(const struct equant_watch_task *task, char *text, size_t size);

/**
 * top_table() - the reading as text
 * @first: rows to leave out above
 * @lines: at most so many, 0 = all of it
 * @columns: at most so many, 0 = any
 * @screen: control sequences of a terminal
 *
 * Return: the number of rows there was room for.
 */
size_t top_table(FILE *out, const struct top_view *view, size_t first, int lines, int columns,
		 bool screen);

/** top_json() - the reading as a line */
void top_json(FILE *out, const struct top_view *view);

/** top_event_text() - one line */
void top_event_text(const struct equant_watch_event *event, char *text, size_t size);
void top_event_json(FILE *out, const struct equant_watch_event *event);
void top_event_keep(struct top_events *events, const struct equant_watch_event *event);

/** top_screen_open() - take the terminal over; 0 or -errno */
int top_screen_open(void);

/** top_screen_close() - leave the terminal as it was; @stuck: nothing can be written to it */
void top_screen_close(bool stuck);

void top_screen_draw(const struct top_view *view);

/** top_screen_key() - a key was pressed; true: the user wants to leave */
bool top_screen_key(void);

/** top_error() - one line on stderr */
void top_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* EQUANT_TOOL_TOP_H */
