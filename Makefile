# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#
# make		library, BPF probe, tools and applications
# make check	the same, and every test; make demo: what it is good for
# make help	all targets and variables
#
# Sources are found by wildcard: a new file in a room needs no line here.

VERSION := 0.1.0
SOVERSION := 0

O ?= build
ifneq ($(words $(O)),1)
$(error O=$(O): a folder without blanks, please)
endif
# These call each other in too many places.
ifneq ($(and $(word 2,$(CURDIR)),$(filter check bench bench-full vm stress check-debug,$(MAKECMDGOALS))),)
$(error $(CURDIR): a folder without blanks, please, for $(MAKECMDGOALS))
endif
# By one name, whoever calls it by another: what the compiler says of headers has it in it.
override O := $(patsubst ./%,%,$(patsubst $(CURDIR)/%,%,$(O:%/=%)))
V ?= 0
PREFIX ?= /usr/local
DESTDIR ?=
bindir ?= $(PREFIX)/bin
libdir ?= $(PREFIX)/lib
libexecdir ?= $(PREFIX)/libexec
includedir ?= $(PREFIX)/include
moddir ?= $(includedir)/equant
docdir ?= $(PREFIX)/share/doc/equant

ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin FC),default)
FC := gfortran
endif
ifeq ($(origin AR),default)
AR := ar
endif
CLANG ?= clang
LLVM_STRIP ?= llvm-strip
MPICC ?= mpicc
# Beside mpicc, mpicc.mpich and the like: both are to be of one MPI.
MPIFC ?= $(if $(findstring mpicc,$(notdir $(MPICC))),$(patsubst %$(notdir $(MPICC)),%,$(MPICC))$(subst mpicc,mpifort,$(notdir $(MPICC))),mpifort)
PKG_CONFIG ?= pkg-config
INSTALL ?= install
# The kernel's test headers, lib.mk and style tools; see tools/build/setup.sh.
LINUX ?= $(O)/linux
# Debian's kernels for the guests, and their headers; see tools/build/kernels.sh.
KERNELS ?= $(O)/kernels

# make vm SHELL=1: what makes run is not to be a shell called 1
ifeq ($(SHELL),1)
override SHELL := /bin/sh
VM_SHELL := 1
endif

.SUFFIXES:
.DELETE_ON_ERROR:
.SECONDARY:
.DEFAULT_GOAL := all

# make -s
QUIET := $(findstring s,$(firstword -$(MAKEFLAGS)))
MAKEFLAGS += -r
ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @$(if $(QUIET),:,printf '  %-7s %s\n' '$(1)' '$(patsubst $(O)/%,%,$(2))')
endif

export CC FC CLANG LLVM_STRIP MPICC MPIFC PKG_CONFIG

# These need nothing detected and nothing built.
SETUP_GOALS := help clean deps check check-debug demo bench bench-full kernels vm stress
ifneq ($(filter-out $(SETUP_GOALS),$(or $(MAKECMDGOALS),all)),)
include $(O)/config.mk
include tools/build/build.mk
include tools/build/fortran.mk
include tools/build/gemr2d.mk
include tools/build/preload.mk
include tests/tests.mk
include tools/build/install.mk
include tools/build/module.mk
endif

# Look again when packages came or went, or other tools are named.
$(O)/config.mk: tools/build/detect.sh $(O)/.detect $(wildcard /var/lib/dpkg/status)
	$(call say,DETECT,$@)
	$(Q)mkdir -p $(@D) && tools/build/detect.sh > $@.$$$$ && mv $@.$$$$ $@ || { rm -f $@.$$$$; false; }

PHONY += deps setup demo check check-debug bench bench-full kernels vm stress clean help FORCE

# What could not be installed is left out, and said.
deps:
	$(Q)tools/build/deps.sh || [ $(filter-out deps,$(or $(MAKECMDGOALS),all)) ]

# These begin with an empty machine.  What is missing is installed before a make
# of its own looks for it.
JOBS := $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))
AGAIN := $(MAKE) --no-print-directory $(JOBS)

check: deps
	$(Q)tests/check.sh $(if $(filter 1,$(V)),-v) -o $(O)

demo: deps
	$(Q)$(AGAIN) all
	$(Q)$(O)/bin/equant demo

bench bench-full: deps
	$(Q)$(AGAIN) all tests
	$(Q)mkdir -p $(O)/bench && TEST_BUILD=$(abspath $(O)) BENCH_FULL=$(if $(@:bench=),1) \
		tests/bench/run

kernels: deps
	$(Q)tools/build/kernels.sh $(KERNELS)

KERNEL ?= 6.12
VM_KERNEL := $(abspath $(KERNELS))/$(KERNEL)

vm: deps
	$(Q)$(AGAIN) all tests
	$(Q)tools/build/kernels.sh $(KERNELS) $(KERNEL)
	$(Q)TEST_BUILD=$(abspath $(O)) $(if $(VM_SHELL),tests/vm/boot.sh $(VM_KERNEL), \
		GUEST_FULL=1 tests/vm/guest.sh $(KERNEL) $(TESTS))

stress: deps
	$(Q)$(AGAIN) all tests
	$(Q)status=0; for kernel in 6.1 6.12; do \
		TEST_BUILD=$(abspath $(O)) GUEST_FULL=1 STRESS_SECONDS=30 \
			tests/vm/guest.sh $$kernel || status=1; \
		TEST_BUILD=$(abspath $(O)) GUEST_FULL=1 GUEST_EXACT=1 \
			tests/vm/guest.sh $$kernel kmod/agreement_test || status=1; \
	done; \
	for name in vm/shares.sh vm/job.sh; do \
		TEST_BUILD=$(abspath $(O)) GUEST_FULL=1 GUEST_EXACT=2 \
			tests/vm/guest.sh 6.12 $$name || status=1; \
	done; \
	exit $$status

check-debug: deps
	$(Q)$(AGAIN) all tests
	$(Q)tools/build/debug_kernels.sh $(KERNELS)
	$(Q)export TEST_BUILD=$(abspath $(O)); status=0; for kernel in 6.1-debug 6.12-debug; do \
		GUEST_FULL=1 tests/vm/guest.sh $$kernel || status=1; \
		STRESS_SECONDS=60 tests/vm/guest.sh $$kernel kmod/fuzz_test || status=1; \
	done; exit $$status

clean:
	$(call say,CLEAN,$(O))
	$(Q)rm -rf $(filter-out . / $(CURDIR),$(O))

help:
	@sed 's,@O@,$(O),' tools/build/help.txt

.PHONY: $(PHONY)
