// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * equant probe load, unload.
 *
 * A load is: verify and attach everything, pin it, mark the table live.  Until
 * that last step clients refuse the table, and a loader that finds a directory
 * without a live table knows that somebody was interrupted.
 */
#include "have.h"

#if EQUANT_HAVE_BPF
#include <errno.h>
#include <grp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "probe.h"

typedef __u32 u32;
typedef __u64 u64;
#include "equant.skel.h"

#define MIN_RECORDS 1024u
#define RECORDS_PER_CPU 16u
#define PER_USER_PER_CPU 64u
#define RESERVE_SHARE 16u /* one record in so many is root's */

#if defined(__x86_64__) || defined(__i386__)
#define WEAKLY_ORDERED false
#else
#define WEAKLY_ORDERED true
#endif

/* How the kernel hears of a registration, best first. */
static const struct way {
	const char *program;
	bool answers; /* prctl returns what the program returns */
	bool on_demand;
} ways[] = {
	{ .program = "equant_prctl_answer", .answers = true },
	{ .program = "equant_prctl_unknown" },
	{ .program = "equant_prctl_kprobe" },
	{ .program = "equant_prctl_sys_enter", .on_demand = true },
};

#define NR_WAYS (sizeof(ways) / sizeof(ways[0]))
#define MAX_LINKS 12

/* A probe in the making. */
struct loading {
	const struct probe_options *options;
	struct equant_bpf *skel;
	struct equant_table header;
	const struct way *way;
	bool trial; /* only to see whether the way works */
	bool predicts;
	bool has_cast;
	bool has_slice;
	u32 cpus;
	int nr_links;
	struct bpf_link *links[MAX_LINKS];
	const char *names[MAX_LINKS];
};

/* That one way is refused is no news; EQUANT_PROBE_DEBUG shows what libbpf says. */
static int hush(enum libbpf_print_level level, const char *format, va_list args)
{
	if (level == LIBBPF_WARN && getenv("EQUANT_PROBE_DEBUG"))
		vfprintf(stderr, format, args);
	return 0;
}

static bool has_member(const struct btf *btf, const char *type, const char *member)
{
	int id = btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT);
	const struct btf_type *t;
	const struct btf_member *m;

	if (id < 0)
		return false;
	t = btf__type_by_id(btf, (u32)id);
	m = btf_members(t);
	for (int i = 0; i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(btf, m[i].name_off), member))
			return true;
	return false;
}

/* What the programs are allowed to rely on, from the running kernel's BTF. */
static int examine_kernel(struct loading *l)
{
	struct btf *btf = btf__load_vmlinux_btf();
	char text[256];

	if (!btf) {
		probe_error("%s", probe_obstacle(text, sizeof(text)) ?: "no usable kernel BTF");
		return -ENODEV;
	}
	l->has_cast = btf__find_by_name_kind(btf, "bpf_rdonly_cast", BTF_KIND_FUNC) > 0;
	l->has_slice = has_member(btf, "sched_entity", "slice");
	l->predicts = has_member(btf, "sched_entity", "cfs_rq") &&
		      has_member(btf, "sched_entity", "my_q") && has_member(btf, "cfs_rq", "rq") &&
		      has_member(btf, "cfs_rq", "tg") && has_member(btf, "task_group", "shares") &&
		      btf__find_by_name_kind(btf, "btf_trace_sched_update_nr_running_tp",
					     BTF_KIND_TYPEDEF) > 0;
	btf__free(btf);
	return 0;
}

static u32 round_up_power(u32 value)
{
	u32 power = 1;

	while (power < value)
		power *= 2;
	return power;
}

static u32 tick_ns(void)
{
	struct timespec tick;

	/* The coarse clock moves once per tick. */
	clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	return (u32)tick.tv_nsec;
}

/* The table's header, as far as it is known before the programs are loaded. */
static int plan_table(struct loading *l)
{
	struct equant_table *header = &l->header;
	int cpus = libbpf_num_possible_cpus();
	struct timespec now;

	if (cpus < 0) {
		probe_error(
			"cannot find out how many CPUs there may be (/sys/devices/system/cpu/possible): %s",
			strerror(-cpus));
		return cpus;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	l->cpus = (u32)cpus;
	*header = (struct equant_table){
		.magic = EQUANT_TABLE_MAGIC,
		.version = EQUANT_ABI_VERSION,
		.record_size = EQUANT_RECORD_SIZE,
		.nr_records = MIN_RECORDS,
		.state = EQUANT_TABLE_LOADING,
		.per_user = PER_USER_PER_CPU * l->cpus,
		.t_load = (__u64)now.tv_sec * 1000000000ull + (__u64)now.tv_nsec,
		.tick_ns = tick_ns(),
	};
	if (RECORDS_PER_CPU * l->cpus > MIN_RECORDS)
		header->nr_records = round_up_power(RECORDS_PER_CPU * l->cpus);
	if (header->per_user > header->nr_records / 2)
		header->per_user = header->nr_records / 2;
	header->reserve = header->nr_records / RESERVE_SHARE;
	if (l->options->per_user >= 0)
		header->per_user = (u32)l->options->per_user;
	if (l->options->reserve >= 0)
		header->reserve = (u32)l->options->reserve;
	if (header->reserve <= header->nr_records)
		return 0;
	probe_error("--reserve: the table has %u records", header->nr_records);
	return -EINVAL;
}

/* The configured slice rounded up to the tick is what a task gets in fact. */
static u32 round_up_tick(const struct loading *l, u32 slice_ns)
{
	u32 tick = l->header.tick_ns;

	return tick ? (slice_ns + tick - 1) / tick * tick : slice_ns;
}

static int ask_slice(struct loading *l, u32 *slice_ns)
{
	struct {
		u32 state;
		u32 slice_ns;
	} mark = { .state = EQUANT_TABLE_LOADING };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &mark, .ctx_size_in = sizeof(mark));
	int ret;

	ret = bpf_prog_test_run_opts(bpf_program__fd(l->skel->progs.equant_mark), &opts);
	*slice_ns = mark.slice_ns;
	return ret;
}

static void configure(struct loading *l)
{
	struct equant_bpf *skel = l->skel;
	const struct equant_table *header = &l->header;

	skel->rodata->nr_cpus = l->cpus;
	skel->rodata->nr_records = header->nr_records;
	skel->rodata->per_user_limit = header->per_user;
	skel->rodata->root_reserve = header->reserve;
	skel->rodata->tick_ns = header->tick_ns;
	skel->rodata->have_cast = l->has_cast;
	skel->rodata->predicts = l->predicts;
	skel->rodata->weakly_ordered = WEAKLY_ORDERED;
	bpf_map__set_max_entries(skel->maps.table, header->nr_records + 1);
	bpf_map__set_max_entries(skel->maps.slots, header->nr_records + 1);
	bpf_map__set_max_entries(skel->maps.cpus, l->cpus);
}

static const struct way *way_of(const char *program)
{
	for (size_t i = 0; i < NR_WAYS; i++)
		if (!strcmp(program, ways[i].program))
			return &ways[i];
	return NULL;
}

/* Of the programs for prctl only the one of this way; of the others all or none. */
static void choose_programs(struct loading *l)
{
	const struct way *way;
	struct bpf_program *program;

	bpf_object__for_each_program(program, l->skel->obj) {
		way = way_of(bpf_program__name(program));
		if (way != l->way && (way || l->trial))
			bpf_program__set_autoload(program, false);
	}
	if (!l->predicts)
		bpf_program__set_autoload(l->skel->progs.equant_nr_running, false);
}

static int attach(struct loading *l, const struct bpf_program *program)
{
	struct bpf_link *link = bpf_program__attach(program);

	if (!link)
		return -errno;
	l->names[l->nr_links] = bpf_program__name(program);
	l->links[l->nr_links++] = link;
	return 0;
}

static int attach_all(struct loading *l)
{
	struct bpf_program *program;
	int ret;

	bpf_object__for_each_program(program, l->skel->obj) {
		if (!bpf_program__autoload(program) || program == l->skel->progs.equant_mark)
			continue;
		ret = attach(l, program);
		if (ret)
			return ret;
	}
	return 0;
}

/* A link that is pinned must not be switched off with its handle. */
static void discard(struct loading *l, bool keep_links)
{
	while (l->nr_links) {
		struct bpf_link *link = l->links[--l->nr_links];

		if (keep_links)
			bpf_link__disconnect(link);
		bpf_link__destroy(link);
	}
	equant_bpf__destroy(l->skel);
	l->skel = NULL;
}

static int try_way(struct loading *l, const struct way *way)
{
	int ret;

	l->way = way;
	l->skel = equant_bpf__open();
	if (!l->skel)
		return -errno;
	configure(l);
	choose_programs(l);
	ret = equant_bpf__load(l->skel);
	if (!ret)
		ret = attach_all(l);
	if (ret)
		discard(l, false);
	return ret;
}

/* The first way that this kernel accepts. */
static int load_programs(struct loading *l)
{
	int ret = -ENODEV, last = -ENODEV;
	char text[256];

	for (size_t i = 0; i < NR_WAYS; i++) {
		if (ways[i].on_demand && !l->options->force_sys_enter)
			continue;
		ret = try_way(l, &ways[i]);
		if (!ret)
			return 0;
		last = ret;
	}
	probe_error("the kernel refuses the programs: %s%s%s", strerror(-last),
		    probe_obstacle(text, sizeof(text)) ? ": " : "",
		    probe_obstacle(text, sizeof(text)) ?: "");
	if (!l->options->force_sys_enter)
		probe_note("--force-sys-enter may find a way, which taxes every system call");
	return last;
}

/* Write the header and close the table to all but the programs. */
static int seal_table(struct loading *l)
{
	struct equant_table *header = &l->header;
	u32 zero = 0, slice_ns = 0;
	int fd = bpf_map__fd(l->skel->maps.table), ret;

	ret = ask_slice(l, &slice_ns);
	if (ret)
		return ret;
	header->default_quantum_ns = round_up_tick(l, slice_ns);
	header->features = (l->way->answers ? EQUANT_TABLE_PRCTL_ANSWERS : 0) |
			   (l->predicts ? EQUANT_TABLE_PREDICTS : 0) |
			   (l->has_slice ? EQUANT_TABLE_CONFIGURED_SLICE : 0);
	ret = bpf_map_update_elem(fd, &zero, header, BPF_ANY);
	return ret ?: bpf_map_freeze(fd);
}

static int pin_links(struct loading *l)
{
	char path[256];
	int ret = 0;

	for (int i = 0; i < l->nr_links && !ret; i++) {
		snprintf(path, sizeof(path), EQUANT_BPF_DIR "/" PROBE_LINK_PREFIX "%s",
			 l->names[i]);
		ret = bpf_link__pin(l->links[i], path);
	}
	return ret;
}

static int pin_all(struct loading *l)
{
	int ret;

	/* Users enter it, whatever root's umask is. */
	if (mkdir(EQUANT_BPF_DIR, 0755) || chmod(EQUANT_BPF_DIR, 0755))
		return -errno;
	ret = bpf_program__pin(l->skel->progs.equant_mark, PROBE_MARK);
	if (!ret)
		ret = bpf_map__pin(l->skel->maps.slots, EQUANT_BPF_DIR "/slots");
	if (!ret)
		ret = bpf_map__pin(l->skel->maps.cpus, EQUANT_BPF_DIR "/cpus");
	if (!ret)
		ret = bpf_map__pin(l->skel->maps.tasks, EQUANT_BPF_DIR "/tasks");
	if (!ret)
		ret = pin_links(l);
	return ret ?: bpf_map__pin(l->skel->maps.table, EQUANT_BPF_TABLE);
}

static int open_to_users(const struct probe_options *options)
{
	const struct group *group;

	if (!options->group)
		return chmod(EQUANT_BPF_TABLE, 0666) ? -errno : 0;
	group = getgrnam(options->group);
	if (!group) /* checked before, may have gone since */
		return -ENOENT;
	if (chown(EQUANT_BPF_TABLE, 0, group->gr_gid) || chmod(EQUANT_BPF_TABLE, 0660))
		return -errno;
	return 0;
}

static int publish(struct loading *l)
{
	const char *what = "fill and freeze the table of the probe";
	int ret = seal_table(l);

	if (!ret) {
		what = "pin the probe in " EQUANT_BPF_DIR;
		ret = pin_all(l);
	}
	if (!ret) {
		what = "open the probe in " EQUANT_BPF_DIR " to users";
		ret = open_to_users(l->options);
	}
	if (!ret) {
		what = "let the probe begin";
		ret = probe_mark(EQUANT_TABLE_LIVE);
	}
	if (!ret)
		return 0;
	probe_error("cannot %s: %s", what, strerror(-ret));
	if (!access(EQUANT_BPF_DIR, F_OK))
		probe_pins_remove();
	return ret;
}

static int ensure_bpffs(void)
{
	if (probe_is_mounted())
		return 0;
	if (mount("bpf", BPFFS, "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=755")) {
		probe_error("cannot mount the BPF file system on " BPFFS ": %s", strerror(errno));
		return -errno;
	}
	probe_note("mounted the BPF file system on " BPFFS);
	return 0;
}

/* May we go on?  0 yes, 1 no need, -errno no. */
static int consider(const struct probe_options *options, enum probe_presence presence)
{
	if (presence == PROBE_HALF_MADE)
		probe_note("an earlier load or unload was interrupted; cleaning up after it");
	if (presence == PROBE_ABSENT || presence == PROBE_HALF_MADE || options->replace)
		return 0;
	if (presence == PROBE_OTHER_ABI) {
		probe_error("a probe of another ABI version is loaded; --replace replaces it");
		return -EEXIST;
	}
	if (options->if_needed)
		return 1;
	probe_error("already loaded; --replace replaces it, --if-needed is content with it");
	return -EEXIST;
}

static void warn_about_access(void)
{
	struct stat root;

	if (!stat(BPFFS, &root) && !(root.st_mode & 0001))
		probe_note("other users cannot enter " BPFFS "; `chmod o+x " BPFFS "` lets them");
}

/*
 * Freezing the table keeps system calls from it, but not programs of those who can open it.
 * Return: 0 or -EPERM, said on stderr.
 */
static int check_others(const struct probe_options *options)
{
	FILE *file = fopen("/proc/sys/kernel/unprivileged_bpf_disabled", "re");
	int disabled = 1;

	if (!file)
		return 0;
	if (fscanf(file, "%d", &disabled) != 1)
		disabled = 1;
	fclose(file);
	if (disabled || options->group)
		return 0;
	probe_error(
		"kernel.unprivileged_bpf_disabled is 0: any user's programs could write into the table; set it to 2, or use --group");
	return -EPERM;
}

static int load_locked(const struct probe_options *options)
{
	enum probe_presence presence = probe_presence();
	struct loading l = { .options = options };
	int ret;

	ret = consider(options, presence);
	if (ret)
		return ret;
	ret = check_others(options);
	if (!ret)
		ret = examine_kernel(&l);
	if (!ret)
		ret = plan_table(&l);
	if (!ret)
		ret = load_programs(&l);
	if (ret)
		return ret;
	if (presence != PROBE_ABSENT)
		ret = probe_pins_remove();
	if (!ret)
		ret = publish(&l);
	if (!ret)
		warn_about_access();
	if (!ret && !l.predicts)
		probe_note("this kernel does not let shares be predicted; they are measured");
	discard(&l, !ret);
	return ret;
}

void probe_try_ways(void (*report)(void *ctx, const char *program, int error), void *ctx)
{
	struct probe_options options = { .per_user = -1, .reserve = -1 };
	struct loading l = { .options = &options, .trial = true };
	int ret;

	libbpf_set_print(hush);
	if (examine_kernel(&l) || plan_table(&l))
		return;
	for (size_t i = 0; i < NR_WAYS; i++) {
		ret = try_way(&l, &ways[i]);
		report(ctx, ways[i].program, ret);
		if (!ret)
			discard(&l, false);
	}
}

static int under_lock(int (*work)(const struct probe_options *options),
		      const struct probe_options *options)
{
	int lock, ret;

	lock = probe_pins_lock();
	if (lock < 0) {
		probe_error("cannot lock " PROBE_LOCK ": %s", strerror(-lock));
		return lock;
	}
	ret = probe_pins_check();
	if (!ret)
		ret = work(options);
	close(lock);
	return ret;
}

int probe_load(const struct probe_options *options)
{
	char text[256];
	int ret;

	libbpf_set_print(hush);
	if (options->group && !getgrnam(options->group)) {
		probe_error("--group: there is no group '%s'", options->group);
		return 1;
	}
	if (geteuid()) {
		probe_error("load needs root%s%s", probe_obstacle(text, sizeof(text)) ? ": " : "",
			    probe_obstacle(text, sizeof(text)) ?: "");
		return 1;
	}
	ret = ensure_bpffs();
	if (!ret)
		ret = under_lock(load_locked, options);
	return ret < 0;
}

static int unload_locked(const struct probe_options *options)
{
	(void)options;
	if (probe_presence() == PROBE_ABSENT) {
		probe_note("nothing to unload");
		return 0;
	}
	return probe_pins_remove();
}

int probe_unload(void)
{
	if (geteuid()) {
		probe_error("unload needs root");
		return 1;
	}
	if (!probe_is_mounted()) {
		probe_note("nothing to unload: no BPF file system on " BPFFS);
		return 0;
	}
	return under_lock(unload_locked, NULL) < 0;
}
#endif /* EQUANT_HAVE_BPF */
