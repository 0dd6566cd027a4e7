/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The kernel probe as root sees it: what is pinned where, and who made it.
 */
#ifndef EQUANT_TOOL_PROBE_H
#define EQUANT_TOOL_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include <equant/abi.h>

#define BPFFS "/sys/fs/bpf"
#define PROBE_LOCK "/run/equant.lock"
#define PROBE_LINK_PREFIX "link_"
#define PROBE_MARK EQUANT_BPF_DIR "/mark"

/**
 * struct probe_options - what `equant probe load` was told
 * @per_user: records per user other than root, 0 = no limit, -1 = default
 * @reserve: records only root may take, -1 = default
 */
struct probe_options {
	bool if_needed;
	bool replace;
	bool force_sys_enter;
	const char *group;
	long per_user;
	long reserve;
};

/* What is at EQUANT_BPF_DIR. */
enum probe_presence {
	PROBE_ABSENT,
	PROBE_LIVE,
	PROBE_OTHER_ABI,
	PROBE_HALF_MADE, /* a load or unload was interrupted */
};

enum probe_presence probe_presence(void);

/** probe_load() - load, attach, pin; the exit status */
int probe_load(const struct probe_options *options);

/** probe_unload() - the exit status */
int probe_unload(void);

/** probe_status() - the exit status */
int probe_status(bool json);

/**
 * probe_pins_check() - is the directory of the pins, if there is one, root's alone?
 *
 * Where anybody may make one there, it may be another user's, or lead elsewhere, and root would
 * remove and change what that user could not.  Return: 0 or -errno, said on stderr.
 */
int probe_pins_check(void);

/** probe_pins_remove() - mark the table dead, remove all pins; 0 or -errno, said on stderr */
int probe_pins_remove(void);

/** probe_pins_lock() - one loader at a time; a descriptor or -errno */
int probe_pins_lock(void);

/** probe_mark() - set the state of the pinned table through the pinned program; 0 or -errno */
int probe_mark(enum equant_table_state state);

/** probe_header() - copy of the pinned table's header; 0 or -errno */
int probe_header(struct equant_table *header);

/** probe_is_mounted() - is there a BPF file system at BPFFS? */
bool probe_is_mounted(void);

/** probe_obstacle() - why BPF cannot work here, written to @text, or NULL */
const char *probe_obstacle(char *text, size_t size);

/**
 * probe_try_ways() - which ways of registration does this kernel accept?
 * @report: called for each with the program's name and 0 or -errno
 *
 * Loads and attaches the programs for a moment; root only.
 */
void probe_try_ways(void (*report)(void *ctx, const char *program, int error), void *ctx);

void probe_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void probe_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* EQUANT_TOOL_PROBE_H */
