# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Every tests/<room>/*.c is a program of its own, but
#	lib*.c			is linked into all programs of its room,
#	*_worker.c		is built and not run: a test starts it,
#	*_guest.c, kmod/*.c	is run in guests only (tests/vm),
#	*.bpf.c			becomes a skeleton for the programs of its room,
#	what includes <omp.h>	is built by compilers that have OpenMP,
#	what calls the BLACS	is built where ScaLAPACK is,
#	bench/*.c		is run by tests/bench/run (make bench) only,
#	fortran/*_worker.f90	is built with libworker.f90 and the room's lib*.c.
# Every tests/<room>/*_test.sh is a test too.

KSELFTEST := $(LINUX)/tools/testing/selftests

TEST_FILES := $(sort $(wildcard tests/*/*.c))
TEST_BPF := $(filter %.bpf.c,$(TEST_FILES))
TEST_C := $(filter-out %.bpf.c,$(TEST_FILES))
TEST_LIB := $(foreach f,$(TEST_C),$(if $(filter lib%,$(notdir $(f))),$(f)))
TEST_PROG := $(filter-out $(TEST_LIB),$(TEST_C))

# Rooms whose programs (or libraries) talk to MPI or load BPF themselves.
uses = $(sort $(foreach f,$(if $(TEST_C),$(shell grep -lE $(1) $(TEST_C))),$(call room,$(f))))
TEST_MPI_ROOMS := $(call uses,'[</](mpi|equant)\.h>')
TEST_BPF_ROOMS := $(call uses,'[<"](bpf/.*\.h>|.*\.skel\.h")')

TEST_NOT := $(if $(filter 1,$(HAVE_MPI)),,$(TEST_MPI_ROOMS)) \
	$(if $(filter 1,$(HAVE_BPF)),,$(TEST_BPF_ROOMS))
TEST_OPENMP := $(if $(TEST_C),$(shell grep -l '<omp\.h>' $(TEST_C)))
TEST_SCALAPACK := $(if $(TEST_C),$(shell grep -l Cblacs_get $(TEST_C)))
TEST_PROG := $(filter-out $(TEST_NOT:%=tests/%/%),$(TEST_PROG))
ifeq ($(GEMR2D),)
TEST_PROG := $(filter-out $(TEST_SCALAPACK),$(TEST_PROG))
endif
ifneq ($(HAVE_OPENMP),1)
TEST_PROG := $(filter-out $(TEST_OPENMP),$(TEST_PROG))
endif
TEST_LIB := $(filter-out $(TEST_NOT:%=tests/%/%),$(TEST_LIB))
TEST_BINS := $(TEST_PROG:%.c=$(O)/%)
TEST_RUN := $(filter-out $(O)/tests/bench/% $(O)/tests/kmod/% %_worker %_guest,$(TEST_BINS))
TEST_SCRIPTS := $(sort $(wildcard tests/*/*_test.sh))

in_room = $(if $(filter $(2),$(call room,$(1))),$(3))

# Every TEST_F() of the harness has an unused parameter.  Of what a debugger may know lines are enough, and
# what is to be fast is the library: a compiler takes half as long again to make the tests so.
TEST_CPPFLAGS := -Iuserlib -Itests -I$(O)/skel -I$(O)/skel/tests -isystem $(KSELFTEST) \
	-Wno-unused-parameter -g1

$(O)/tests/%.o: tests/%.c $(O)/.flags | $(O)/include/have.h $(LINUX)/.complete
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(COMPILE) $(TEST_CPPFLAGS) \
		$(if $(filter tests/bench/%,$<),,$(patsubst -O2,-O1,$(filter -O2,$(CFLAGS)))) \
		$(call in_room,$<,$(TEST_MPI_ROOMS),$(MPI_CFLAGS)) \
		$(if $(filter $(TEST_OPENMP),$<),-fopenmp) -c -o $@ $<

ifeq ($(HAVE_BPF),1)
$(foreach r,$(sort $(foreach f,$(TEST_BPF),$(call room,$(f)))), \
	$(eval $(call bpf_object,tests/$(r),skel/tests)) \
	$(eval $(filter $(O)/tests/$(r)/%,$(TEST_C:%.c=$(O)/%.o)): | \
		$(patsubst tests/$(r)/%.bpf.c,$(O)/skel/tests/%.skel.h,$(filter tests/$(r)/%,$(TEST_BPF)))))
$(filter $(TEST_BPF_ROOMS:%=$(O)/tests/%/%),$(TEST_C:%.c=$(O)/%.o)): | $(BPF_SKELS)
endif

define test_program
$(1:%.c=$(O)/%): $(1:%.c=$(O)/%.o) $(patsubst %.c,$(O)/%.o,$(filter $(dir $(1))%,$(TEST_LIB))) $(LIB_A)
	$$(call say,LD,$$@)
	$(Q)$$(CC) $$(CFLAGS_ALL) $$(LDFLAGS_ALL) -o $$@ $$^ \
		$(call in_room,$(1),$(TEST_MPI_ROOMS),$(MPI_LIBS)) \
		$(call in_room,$(1),$(TEST_BPF_ROOMS),$(BPF_LIBS)) $$(LIBURING_LIBS) -lm \
		$(if $(filter $(TEST_SCALAPACK),$(1)),$(SCALAPACK_LIBS)) \
		$(if $(filter $(TEST_OPENMP),$(1)),-fopenmp)
endef
$(foreach f,$(TEST_PROG),$(eval $(call test_program,$(f))))

# Charts of measurements are drawn by the tool's code.
$(O)/tests/bench/chart.o: TEST_CPPFLAGS += -Itools/equant
$(O)/tests/bench/chart: $(patsubst %,$(O)/tools/equant/%.o,json plain svg table table_svg)

# Module worker is compiled once; the programs are a file each.
FTEST_WORKERS := $(if $(FORTRAN),$(patsubst %.f90,$(O)/%,$(wildcard tests/fortran/*_worker.f90)))
FTEST_LIB := $(O)/tests/fortran/libworker.o $(patsubst %.c,$(O)/%.o,$(wildcard tests/fortran/lib*.c))

$(O)/tests/fortran/libworker.o: tests/fortran/libworker.f90 $(FLIB_A) $(O)/.fortran-flags
	$(call say,FC,$<)
	$(Q)mkdir -p $(@D) && $(FCOMPILE) -I$(FMODULES) -J$(@D) -c -o $@ $<

$(FTEST_WORKERS): $(O)/%: %.f90 $(FTEST_LIB) $(FLIB_A) $(LIB_A)
	$(call say,FC,$<)
	$(Q)$(FCOMPILE) -I$(FMODULES) -J$(@D) $(LDFLAGS_ALL) -o $@ $< $(FTEST_LIB) $(FLIB_A) $(LIB_A) \
		$(MPIF_LIBS) $(LIBURING_LIBS) -lm

$(LINUX)/.complete: tools/build/setup.sh
	$(if $(filter 1,$(HAVE_LINUX_SOURCE)),,$(error the tests need the kernel's test headers: \
		apt-get install --no-install-recommends linux-source-6.1 xz-utils))
	$(call say,EXTRACT,$(LINUX_SOURCE))
	$(Q)mkdir -p $(@D) && tools/build/setup.sh $(LINUX_SOURCE) $(LINUX) && touch $@

# The kernel's, with the 100 columns that checkpatch.pl allows and our own loops.
$(O)/clang-format: $(LINUX)/.complete tests/tests.mk
	$(Q)sed -e 's/^ColumnLimit:.*/ColumnLimit: 100/' -e "s/^ForEachMacros:/&\n  - 'equant_for_each_next'\n  - 'equant_for_each_slice'\n  - 'equant_for_each_unit'\n  - 'for_each_edge'/" \
		$(LINUX)/.clang-format > $@

format: $(O)/clang-format
	$(call say,FORMAT,$(or $(FILES),every C file))
	$(Q)clang-format --style=file:$< -i $(or $(FILES),$(shell find bpf kmod userlib apps tools tests \
		-name '*.[ch]' -type f))

$(O)/tests/contain: tests/contain.c $(O)/.flags
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(STD) $(WARN) -O2 -D_GNU_SOURCE= -o $@ $<

PHONY += setup tests list-tests format
setup: $(LINUX)/.complete $(O)/clang-format

tests: $(TEST_BINS) $(FTEST_WORKERS) $(O)/tests/contain $(O)/clang-format
	@:

# What `make check` runs.
list-tests:
	@printf '%s\n' $(TEST_RUN:$(O)/tests/%=%) $(TEST_SCRIPTS:tests/%=%)

DEPS := $(TEST_C:%.c=$(O)/%.d) $(TEST_BPF:%.c=$(O)/%.d)
-include $(wildcard $(DEPS))
