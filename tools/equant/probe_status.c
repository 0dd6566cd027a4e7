// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant probe status: which probes work here, and if not, why not.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <equant/probe.h>

#include "have.h"
#if EQUANT_HAVE_BPF
#include <bpf/bpf.h>
#endif

#include "json.h"
#include "output.h"
#include "probe.h"

/* ---- why BPF may not work ---- */

static bool read_text(const char *path, char *text, size_t size)
{
	ssize_t len;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	len = read(fd, text, size - 1);
	close(fd);
	if (len <= 0)
		return false;
	text[len] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return true;
}

/* The chosen word stands in brackets: "none [integrity] confidentiality". */
static bool is_locked_down(void)
{
	char text[128];

	return read_text("/sys/kernel/security/lockdown", text, sizeof(text)) &&
	       strstr(text, "[confidentiality]");
}

const char *probe_obstacle(char *text, size_t size)
{
	const char *reason = NULL;

	if (access("/sys/kernel/btf/vmlinux", F_OK))
		reason = "the kernel has no BTF (CONFIG_DEBUG_INFO_BTF)";
	else if (is_locked_down())
		reason = "the kernel is locked down (confidentiality)";
	else if (geteuid())
		reason = "loading needs CAP_BPF and CAP_PERFMON";
	if (!reason)
		return NULL;
	snprintf(text, size, "%s", reason);
	return text;
}

static bool may_try_ways(void)
{
	char text[256];

	return EQUANT_HAVE_BPF && !probe_obstacle(text, sizeof(text));
}

/* ---- the table and the programs ---- */

struct program_status {
	char name[64];
	unsigned long long misses;
	unsigned long long runs;
	unsigned long long run_ns;
};

#define MAX_PROGRAMS 16

struct bpf_report {
	struct equant_table header;
	int header_error;
	int nr_programs;
	int programs_error; /* why some could not be looked at, or 0 */
	const char *registration;
	struct program_status programs[MAX_PROGRAMS];
};

/* How a registration is heard of, by the program that hears it. */
static const char *registration_text(const char *program)
{
	static const char *const texts[][2] = {
		{ "equant_prctl_answer", "prctl answers (fmod_ret/security_task_prctl)" },
		{ "equant_prctl_unknown", "scan after prctl (tp_btf/task_prctl_unknown)" },
		{ "equant_prctl_kprobe", "scan after prctl (kprobe/security_task_prctl)" },
		{ "equant_prctl_sys_enter", "scan after prctl (tp_btf/sys_enter, on demand)" },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!strcmp(program, texts[i][0]))
			return texts[i][1];
	return NULL;
}

#if EQUANT_HAVE_BPF
static int examine_link(const char *path, struct program_status *program)
{
	struct bpf_prog_info prog = { 0 };
	struct bpf_link_info link = { 0 };
	__u32 size = sizeof(link);
	int fd, ret;

	fd = bpf_obj_get(path);
	if (fd < 0)
		return -errno;
	ret = bpf_obj_get_info_by_fd(fd, &link, &size);
	close(fd);
	if (ret)
		return ret;
	fd = bpf_prog_get_fd_by_id(link.prog_id);
	if (fd < 0)
		return -errno;
	size = sizeof(prog);
	ret = bpf_obj_get_info_by_fd(fd, &prog, &size);
	close(fd);
	program->misses = prog.recursion_misses;
	program->runs = prog.run_cnt;
	program->run_ns = prog.run_time_ns;
	return ret;
}
#else
static int examine_link(const char *path, struct program_status *program)
{
	(void)path;
	(void)program;
	return -EOPNOTSUPP;
}
#endif

static void examine_pin(struct bpf_report *report, const char *file)
{
	struct program_status *program = &report->programs[report->nr_programs];
	const char *name = file + strlen(PROBE_LINK_PREFIX);
	char path[512];
	int error;

	if (strncmp(file, PROBE_LINK_PREFIX, strlen(PROBE_LINK_PREFIX)))
		return;
	if (registration_text(name))
		report->registration = registration_text(name);
	snprintf(path, sizeof(path), EQUANT_BPF_DIR "/%s", file);
	snprintf(program->name, sizeof(program->name), "%s", name);
	if (report->nr_programs == MAX_PROGRAMS - 1)
		return;
	error = examine_link(path, program);
	if (!error)
		report->nr_programs++;
	else if (error != -ENOENT) /* else it has just been unloaded */
		report->programs_error = error;
}

static void examine(struct bpf_report *report)
{
	struct dirent *entry;
	DIR *dir;

	report->header_error = probe_header(&report->header);
	dir = opendir(EQUANT_BPF_DIR);
	if (!dir)
		return;
	while ((entry = readdir(dir)))
		examine_pin(report, entry->d_name);
	closedir(dir);
}

static const char *state_text(__u32 state)
{
	switch (state) {
	case EQUANT_TABLE_LOADING:
		return "loading";
	case EQUANT_TABLE_LIVE:
		return "live";
	case EQUANT_TABLE_DEAD:
		return "dead";
	default:
		return "unknown";
	}
}

/* ---- as text ---- */

static void print_source(void *ctx, const char *name, int error, const char *text)
{
	(void)ctx;
	printf("%-10s %-6s %s\n", name, error ? "no" : "works", text);
}

static void print_header(const struct equant_table *h)
{
	printf("\ntable      %s, ABI version %u, %u of %u records used, %u reserved for root, ",
	       state_text(h->state), h->version, h->nr_used, h->nr_records, h->reserve);
	if (h->per_user)
		printf("%u per user\n", h->per_user);
	else
		printf("no limit per user\n");
	printf("           %llu registrations, %llu refused (table full), %llu refused (user limit)\n",
	       (unsigned long long)h->attached, (unsigned long long)h->refused_full,
	       (unsigned long long)h->refused_user);
	printf("           prediction %s, tick %.1f ms, ",
	       h->features & EQUANT_TABLE_PREDICTS ? "yes" : "no", h->tick_ns / 1e6);
	if (h->default_quantum_ns)
		printf("expected quantum %.1f ms\n", h->default_quantum_ns / 1e6);
	else
		printf("quantum known once observed\n");
}

static const char *hidden_text(int error)
{
	if (error == -EPERM || error == -EACCES)
		return "only root may look at them";
	return error == -EOPNOTSUPP ? "this build has no BPF to look at them" : strerror(-error);
}

static void print_programs(const struct bpf_report *report)
{
	if (report->programs_error)
		printf("programs   %s\n", hidden_text(report->programs_error));
	if (report->nr_programs)
		printf("%-32s %12s %12s %10s\n", "program", "missed", "runs", "ns/run");
	for (int i = 0; i < report->nr_programs; i++) {
		const struct program_status *p = &report->programs[i];

		printf("%-32s %12llu", p->name, p->misses);
		if (p->runs)
			printf(" %12llu %10.0f\n", p->runs, (double)p->run_ns / (double)p->runs);
		else
			printf(" %12s %10s\n", "-", "-"); /* kernel.bpf_stats_enabled=0 */
	}
}

static void print_way(void *ctx, const char *program, int error)
{
	(void)ctx;
	printf("           %-50s %s\n", registration_text(program),
	       error ? strerror(-error) : "works");
}

static void print_report(const struct bpf_report *report)
{
	char text[256];

	if (probe_obstacle(text, sizeof(text)))
		printf("\nbpf: %s\n", text);
	if (!report->header_error)
		print_header(&report->header);
	if (report->registration)
		printf("registers  %s\n", report->registration);
	if (may_try_ways()) {
		printf("possible\n");
		probe_try_ways(print_way, NULL);
	}
	print_programs(report);
}

/* ---- as JSON ---- */

static void json_source(void *ctx, const char *name, int error, const char *text)
{
	struct json *json = ctx;

	json_open_object(json, NULL);
	json_string(json, "name", name);
	json_bool(json, "works", !error);
	json_integer(json, "errno", -error);
	json_string(json, "text", text);
	json_close_object(json);
}

static void json_table(struct json *json, const struct equant_table *h)
{
	json_open_object(json, "table");
	json_string(json, "state", state_text(h->state));
	json_integer(json, "version", h->version);
	json_integer(json, "records", h->nr_records);
	json_integer(json, "used", h->nr_used);
	json_integer(json, "reserve", h->reserve);
	json_integer(json, "per_user", h->per_user);
	json_integer(json, "attached", (long)h->attached);
	json_integer(json, "refused_full", (long)h->refused_full);
	json_integer(json, "refused_user", (long)h->refused_user);
	json_bool(json, "predicts", h->features & EQUANT_TABLE_PREDICTS);
	json_bool(json, "prctl_answers", h->features & EQUANT_TABLE_PRCTL_ANSWERS);
	json_integer(json, "tick_ns", h->tick_ns);
	json_integer(json, "default_quantum_ns", h->default_quantum_ns);
	json_close_object(json);
}

static void json_programs(struct json *json, const struct bpf_report *report)
{
	json_open_array(json, "programs");
	for (int i = 0; i < report->nr_programs; i++) {
		json_open_object(json, NULL);
		json_string(json, "name", report->programs[i].name);
		json_integer(json, "missed", (long)report->programs[i].misses);
		json_integer(json, "runs", (long)report->programs[i].runs);
		json_integer(json, "run_ns", (long)report->programs[i].run_ns);
		json_close_object(json);
	}
	json_close_array(json);
}

static void json_way(void *ctx, const char *program, int error)
{
	struct json *json = ctx;

	json_open_object(json, NULL);
	json_string(json, "program", program);
	json_bool(json, "works", !error);
	json_integer(json, "errno", -error);
	json_close_object(json);
}

static void json_report(const struct bpf_report *report)
{
	struct json json = { .out = stdout };
	char text[256];

	json_open_object(&json, NULL);
	json_open_array(&json, "probes");
	equant_probe_survey(json_source, &json);
	json_close_array(&json);
	if (probe_obstacle(text, sizeof(text)))
		json_string(&json, "obstacle", text);
	if (!report->header_error)
		json_table(&json, &report->header);
	if (report->registration)
		json_string(&json, "registration", report->registration);
	if (may_try_ways()) {
		json_open_array(&json, "ways");
		probe_try_ways(json_way, &json);
		json_close_array(&json);
	}
	json_programs(&json, report);
	json_close_object(&json);
}

int probe_status(bool json)
{
	struct bpf_report report = { 0 };

	examine(&report);
	if (json) {
		json_report(&report);
	} else {
		equant_probe_survey(print_source, NULL);
		print_report(&report);
	}
	return output_flush("probe");
}
