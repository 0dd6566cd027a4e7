// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Random calls to the device, from threads that share its files and their memory while
 * they close, unmap, are killed and exit.  That the kernel survives is seen in its
 * log, which the guest's runner reads; that nothing leaks and that the device still
 * works, here.  STRESS_SECONDS: how long it takes, 2 s otherwise.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../random.h"
#include "kselftest_harness.h"
#include "libdevice.h"
#include "libring.h"

#define SKIPPED 255
#define PROCESSES 4 /* at a time */
#define THREADS 3 /* in each */
#define FILES 4 /* of each process, open or not */
#define PAGE 4096ul
#define ARENA_PAGES 256ul /* where the device is mapped; larger than its table */
#define BUFFER_PAGES 4ul /* then a page that cannot be touched */

static const unsigned long requests[] = {
	EQUANT_IOC_INFO, EQUANT_IOC_ATTACH, EQUANT_IOC_DETACH, EQUANT_IOC_SNAPSHOT, EQUANT_IOC_LIST,
};
#define REQUESTS (sizeof(requests) / sizeof(requests[0]))

/* How often each has succeeded, by itself and by io_uring; shared by all. */
static unsigned int *done;

/* Of one process, shared by its threads: whoever is in a call may lose what it uses. */
static int files[FILES];
static char *arena, *buffer;
static const void *constant; /* mapped read-only */
static pthread_barrier_t start; /* from here on only the calls map memory */

static uint64_t below(struct random *random, uint64_t limit)
{
	return random_next(random) % limit;
}

static int *any_file(struct random *random)
{
	return &files[below(random, FILES)];
}

/* Nothing that the program itself lives in. */
static void *any_pointer(struct random *random)
{
	char *end = buffer + BUFFER_PAGES * PAGE;

	switch (below(random, 10)) {
	case 0:
		return NULL;
	case 1:
		return (void *)below(random, PAGE);
	case 2:
		return (void *)(0xffff888000000000ull + below(random, 1 << 30));
	case 3:
		return (void *)~below(random, 64);
	case 4:
		return (void *)(uintptr_t)constant;
	case 5:
		return arena + below(random, ARENA_PAGES * PAGE);
	case 6:
		return end - below(random, 300);
	default:
		return buffer + below(random, (BUFFER_PAGES - 1) * PAGE / 8) * 8;
	}
}

static uint64_t any_number(struct random *random)
{
	switch (below(random, 8)) {
	case 0:
		return random_next(random);
	case 1:
		return UINT32_MAX - below(random, 2);
	case 2:
		return EQUANT_FILE_RECORDS - 1 + below(random, 3);
	case 3:
		return EQUANT_SHARE_ONE / 2;
	case 4:
		return (uint64_t)(below(random, 2) ? getpid() : gettid());
	case 5:
		return below(random, 2000); /* other tasks of the machine */
	default:
		return below(random, 16);
	}
}

/* An argument in the buffer: valid, nearly so, or none at all. */
static void *any_argument(struct random *random)
{
	struct equant_attach attach = {
		.tid = (uint32_t)any_number(random),
		.flags = (uint32_t)below(random, 2),
		.cookie = random_next(random),
	};
	struct equant_snapshot snapshot = {
		.indices = below(random, 2) ? (uintptr_t)any_pointer(random) : 0,
		.records = (uintptr_t)any_pointer(random),
		.nr = (uint32_t)any_number(random),
	};
	struct equant_list list = {
		.tids = (uintptr_t)any_pointer(random),
		.nr = (uint32_t)any_number(random),
	};
	const struct equant_detach detach = { .index = (uint32_t)any_number(random) };
	char *argument = buffer + below(random, BUFFER_PAGES * PAGE / 64) * 64;

	if (attach.flags && below(random, 2)) {
		attach.threshold = EQUANT_SHARE_ONE / 2;
		attach.hysteresis = attach.threshold / 8;
		attach.rounds = below(random, 2) ? EQUANT_ROUNDS : (uint32_t)any_number(random);
	}
	switch (below(random, 5)) {
	case 0:
		return memcpy(argument, &attach, sizeof(attach));
	case 1:
		return memcpy(argument, &snapshot, sizeof(snapshot));
	case 2:
		return memcpy(argument, &list, sizeof(list));
	case 3:
		return memcpy(argument, &detach, sizeof(detach));
	}
	for (unsigned int i = 0; i < 8; i++)
		((uint64_t *)(void *)argument)[i] = any_number(random);
	return argument;
}

static unsigned long any_request(struct random *random)
{
	unsigned long request = requests[below(random, REQUESTS)];

	switch (below(random, 10)) {
	case 0:
		return random_next(random);
	case 1: /* another number, size or direction */
		return request ^ 1ul << below(random, 32);
	}
	return request;
}

static int call(int fd, unsigned long request, void *argument)
{
	int ret = ioctl(fd, request, argument);

	for (unsigned int i = 0; i < REQUESTS; i++)
		if (ret >= 0 && request == requests[i])
			__atomic_fetch_add(&done[i], 1, __ATOMIC_RELAXED);
	return ret;
}

static void call_ioctl(struct random *random)
{
	void *argument = any_argument(random);

	if (below(random, 5) == 0)
		argument = any_pointer(random);
	call(*any_file(random), any_request(random), argument);
}

/* What fits: an attachment that is read by others from its first moment to its last. */
static void attach_and_detach(struct random *random)
{
	struct equant_attach attach = { .flags = EQUANT_ATTACH_EVENTS };
	struct equant_detach detach = { .index = 1 + (uint32_t)below(random, 2 * THREADS) };
	int fd = *any_file(random);

	call(fd, EQUANT_IOC_DETACH, &detach);
	call(fd, EQUANT_IOC_ATTACH, &attach);
}

static void take_snapshot(struct random *random)
{
	struct equant_snapshot snapshot = {
		.records = (uintptr_t)buffer,
		.nr = BUFFER_PAGES * PAGE / EQUANT_RECORD_SIZE,
	};

	call(*any_file(random), EQUANT_IOC_SNAPSHOT, &snapshot);
}

static void call_uring(struct random *random, struct ring *ring)
{
	struct io_uring_sqe sqe = {
		.opcode = IORING_OP_URING_CMD,
		.fd = *any_file(random),
		.off = below(random, 4) ? EQUANT_URING_SNAPSHOT : any_request(random),
	};
	const struct equant_uring command = {
		.snapshot =
			(uintptr_t)(below(random, 4) ? any_argument(random) : any_pointer(random)),
		.pad = below(random, 8) ? 0 : any_number(random),
	};
	struct io_uring_cqe cqe;

	if (below(random, 3) == 0) {
		sqe.opcode = below(random, 2) ? IORING_OP_READ : IORING_OP_POLL_ADD;
		sqe.off = 0;
		sqe.addr = (uintptr_t)any_pointer(random);
		sqe.len = (uint32_t)any_number(random);
		if (sqe.opcode == IORING_OP_POLL_ADD) {
			sqe.addr = 0;
			sqe.len = IORING_POLL_ADD_MULTI;
			sqe.poll32_events = POLLIN;
		}
	} else {
		memcpy((char *)&sqe + 48, &command, sizeof(command));
		sqe.user_data = 1;
	}
	submit(ring, &sqe, 0);
	while (complete(ring, 0, &cqe))
		if (cqe.res > 0 && cqe.user_data)
			__atomic_fetch_add(&done[REQUESTS], 1, __ATOMIC_RELAXED);
}

static void read_or_poll(struct random *random)
{
	struct pollfd poll_one = { .fd = *any_file(random), .events = (short)random_next(random) };
	struct iovec parts[2] = {
		{ .iov_base = any_pointer(random), .iov_len = below(random, 200) },
		{ .iov_base = any_pointer(random), .iov_len = below(random, 3 * PAGE) },
	};

	if (below(random, 2))
		poll(&poll_one, 1, 0);
	else
		readv(*any_file(random), parts, 2);
}

/* The kernel reads from the mapping, so that a page that is not there is an error only. */
static void touch(const void *memory, int *pipe_ends)
{
	char bytes[64];

	if (write(pipe_ends[1], memory, sizeof(bytes)) > 0)
		while (read(pipe_ends[0], bytes, sizeof(bytes)) > 0)
			;
}

static void map_or_unmap(struct random *random, int *pipe_ends)
{
	static const int protections[] = {
		PROT_READ, PROT_READ, PROT_READ, PROT_READ | PROT_WRITE, PROT_READ | PROT_EXEC,
		PROT_NONE
	};
	uint64_t page = below(random, ARENA_PAGES), pages = 1 + below(random, ARENA_PAGES - page);
	int protection = protections[below(random, 6)];
	char *at = arena + page * PAGE;

	switch (below(random, 5)) {
	case 0:
		mmap(at, pages * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		break;
	case 1:
		mprotect(at, pages * PAGE, protection);
		break;
	case 2:
		mremap(at, PAGE, pages * PAGE, 0);
		madvise(at, pages * PAGE, below(random, 2) ? MADV_DOFORK : MADV_DONTNEED);
		break;
	default:
		mmap(at, pages * PAGE, protection,
		     MAP_FIXED | (below(random, 4) ? MAP_SHARED : MAP_PRIVATE), *any_file(random),
		     (off_t)(below(random, 4) ? 0 : below(random, ARENA_PAGES) * PAGE));
	}
	touch(arena + below(random, ARENA_PAGES * PAGE), pipe_ends);
}

static void reopen(struct random *random)
{
	int *file = any_file(random);
	int fd = open(EQUANT_DEVICE, (int)below(random, 3) | O_NONBLOCK | O_CLOEXEC);
	int old = __atomic_exchange_n(file, fd, __ATOMIC_SEQ_CST);

	if (old >= 0)
		close(old);
}

/* Leaves with the files, the mapping and whatever it has attached. */
static void fork_and_leave(void)
{
	pid_t pid = fork();

	if (!pid) {
		attach(files[0], 0, EQUANT_ATTACH_EVENTS);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void *fuzz(void *state)
{
	struct random random = random_from((uintptr_t)state);
	struct ring ring = { 0 };
	int pipe_ends[2];

	if (open_ring(&ring) || pipe2(pipe_ends, O_NONBLOCK))
		_exit(2);
	pthread_barrier_wait(&start);
	for (;;) {
		switch (below(&random, 32)) {
		case 0:
			reopen(&random);
			break;
		case 1:
			fork_and_leave();
			break;
		case 2 ... 5:
			map_or_unmap(&random, pipe_ends);
			break;
		case 6 ... 9:
			read_or_poll(&random);
			break;
		case 10 ... 13:
			call_uring(&random, &ring);
			break;
		case 14 ... 17:
			attach_and_detach(&random);
			break;
		case 18 ... 21:
			take_snapshot(&random);
			break;
		default:
			call_ioctl(&random);
		}
	}
	return NULL;
}

/* A process that ends while its threads are in the middle of it. */
static void fuzz_and_end(uint64_t seed)
{
	struct random random = random_from(seed);
	size_t bytes = (BUFFER_PAGES + 1) * PAGE;
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	arena = mmap(NULL, ARENA_PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	buffer = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	constant = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (arena == MAP_FAILED || buffer == MAP_FAILED || constant == MAP_FAILED ||
	    mprotect(buffer + BUFFER_PAGES * PAGE, PAGE, PROT_NONE))
		_exit(3);
	for (int i = 0; i < FILES; i++)
		files[i] = open(EQUANT_DEVICE, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	pthread_barrier_init(&start, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, fuzz, (void *)random_next(&random)))
			_exit(4);
	sleep_ms(50 + (unsigned int)below(&random, 250));
	switch (below(&random, 3)) {
	case 0:
		kill(getpid(), SIGKILL);
		break;
	case 1:
		execlp("true", "true", NULL);
		break;
	}
	_exit(0);
}

FIXTURE(fuzz)
{
	struct random random;
	uint64_t end;
};

FIXTURE_SETUP(fuzz)
{
	const char *reason = why_no_device();

	if (reason)
		SKIP(_exit(SKIPPED), "%s", reason);
	self->random = random_seeded();
	self->end = stress_end(2000);
	done = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, done);
}

FIXTURE_TEARDOWN(fuzz)
{
}

static void leaves_nothing(struct __test_metadata *_metadata)
{
	int fd = open_device();

	ASSERT_LE(0, fd);
	for (int i = 0; i < 100 && records_in_use(fd); i++)
		sleep_ms(20);
	EXPECT_EQ(0, records_in_use(fd));
	close(fd);
}

static void still_works(struct __test_metadata *_metadata)
{
	const struct equant_table *table;
	struct equant_record before, after;
	int fd = open_device();

	ASSERT_LE(0, fd);
	table = map_table(fd);
	ASSERT_NE(NULL, table);
	ASSERT_EQ(1, attach(fd, 0, EQUANT_ATTACH_EVENTS));
	before = record_now(table, 1);
	sleep_ms(10);
	compute_ms(10);
	after = record_now(table, 1);
	EXPECT_EQ(EQUANT_STATE_RUN, after.state);
	EXPECT_EQ((uint32_t)getpid(), after.tid);
	EXPECT_LT(before.blocks, after.blocks);
	EXPECT_LE(before.sleep_ns + 10 * MSEC, after.sleep_ns);
	EXPECT_LT(before.run_ns, after.run_ns);
	EXPECT_EQ(0, detach(fd, 1));
	unmap_table(table);
	close(fd);
}

TEST_F_TIMEOUT(fuzz, random_calls_leave_a_device_that_works, 300)
{
	pid_t pid[PROCESSES];
	int status;

	while (!time_is_up(self->end)) {
		for (int i = 0; i < PROCESSES; i++) {
			uint64_t seed = random_next(&self->random);

			pid[i] = fork();
			if (!pid[i])
				fuzz_and_end(seed);
			ASSERT_LT(0, pid[i]);
		}
		for (int i = 0; i < PROCESSES; i++) {
			ASSERT_EQ(pid[i], waitpid(pid[i], &status, 0));
			ASSERT_TRUE(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL :
							  WEXITSTATUS(status) == 0)
			TH_LOG("wait status %#x", status);
		}
	}
	for (unsigned int i = 0; i <= REQUESTS; i++) {
		fprintf(stderr, "# request %u: succeeded %u times\n", i, done[i]);
		EXPECT_LT(0, done[i]);
	}
	leaves_nothing(_metadata);
	still_works(_metadata);
}

TEST_HARNESS_MAIN
