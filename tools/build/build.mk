# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# The library, the BPF object and its skeleton, the tools, the applications.

WARN := -Wall -Wextra -Werror
STD := -std=gnu11 -ffp-contract=off -fvisibility=hidden
# lu took half as long again where its inner loop did not begin at such a place.
STD += -falign-loops=32
CFLAGS ?= -O2 -g
CPPFLAGS_ALL = -D_GNU_SOURCE= -Iuserlib/include -I$(O)/include -DEQUANT_VERSION='"$(VERSION)"' \
	$(CPPFLAGS)
CFLAGS_ALL = $(STD) $(WARN) $(CFLAGS) $(SANITIZE:%=-fsanitize=% -fno-sanitize-recover=all \
	-fno-omit-frame-pointer)
LDFLAGS_ALL = $(SANITIZE:%=-fsanitize=%) -Wl,--as-needed $(LDFLAGS)
DEPFLAGS = -MMD -MP -MT $@ -MF $(@:.o=.d)
COMPILE = $(CC) $(CFLAGS_ALL) $(CPPFLAGS_ALL) $(DEPFLAGS)

# $(call room,path/of/some/file.c): the folder below userlib/ or tests/
room = $(word 2,$(subst /, ,$(1)))

# stamp(FILE, TEXT): a file that changes when the text does, by whatever path the build folder is named.
define stamp
$(1): FORCE
	@mkdir -p $$(@D); printf '%s\n' '$(subst ','\'',$(subst $(O)/,,$(2)))' | cmp -s - $$@ || \
		printf '%s\n' '$(subst ','\'',$(subst $(O)/,,$(2)))' > $$@
endef

# All that compiles or links anything: what they find there belongs to it.  Whether it is there, few files ask (have.h).
$(eval $(call stamp,$(O)/.flags,$(CC) $(CFLAGS_ALL) $(CPPFLAGS_ALL) $(LDFLAGS_ALL) $(HAVE_PNG) \
	$(foreach package,MPI LIBURING PNG BPF,$($(package)_CFLAGS) $($(package)_LIBS))))

# What is left out is not linked with either.
$(foreach package,MPI LIBURING PNG BPF,$(if $(filter 1,$(HAVE_$(package))),,$(eval override $(package)_LIBS :=)))

# Of the same name another MPI's compiler is another one.
$(eval $(call stamp,$(O)/.detect,$(CC) $(FC) $(CLANG) $(LLVM_STRIP) $(MPICC) $(MPIFC) \
	$(PKG_CONFIG) $(PKG_CONFIG_PATH) \
	$(foreach tool,CC FC MPICC MPIFC,$(shell command -v $(firstword $($(tool))) 2> /dev/null))))

# What is there, for the few files that ask.
$(O)/include/have.h: FORCE
	@mkdir -p $(@D); printf '#define EQUANT_HAVE_%s\n' 'MPI $(HAVE_MPI)' 'BPF $(HAVE_BPF)' \
		'LIBURING $(HAVE_LIBURING)' > $@.$$$$; \
		if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi

# ---- userlib ---------------------------------------------------------------

# Only these rooms may include <mpi.h>.
MPI_ROOMS := core control loop engine gemr2d preload

# Libraries of their own: see fortran.mk, gemr2d.mk and preload.mk.
LIB_SRCS := $(sort $(filter-out userlib/fortran/% userlib/gemr2d/% userlib/preload/%,$(wildcard userlib/*/*.c)))
ifneq ($(HAVE_MPI),1)
LIB_SRCS := $(filter-out $(MPI_ROOMS:%=userlib/%/%),$(LIB_SRCS))
endif
LIB_OBJS := $(LIB_SRCS:%.c=$(O)/%.o)
LIB_HEADERS := $(sort $(wildcard userlib/include/equant/*.h))
LIB_MPI := $(if $(filter $(MPI_ROOMS),$(foreach f,$(LIB_SRCS),$(call room,$(f)))),$(MPI_LIBS))
LIB_LIBS = $(LIB_MPI) $(LIBURING_LIBS) -lm

SONAME := libequant.so.$(SOVERSION)
LIB_SO := $(O)/libequant.so.$(VERSION)
LIB_A := $(O)/libequant.a

$(eval $(call stamp,$(O)/.lib-objects,$(LIB_OBJS)))

$(O)/userlib/%.o: userlib/%.c $(O)/.flags | $(O)/include/have.h
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(COMPILE) -Iuserlib $(LIBURING_CFLAGS) \
		$(if $(filter $(MPI_ROOMS),$(call room,$<)),$(MPI_CFLAGS)) -fPIC -c -o $@ $<

$(LIB_A): $(LIB_OBJS) $(O)/.lib-objects
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcsD $@ $(LIB_OBJS)

$(LIB_SO): $(LIB_OBJS) $(O)/.lib-objects userlib/libequant.map
	$(call say,LD,$@)
	$(Q)$(CC) -shared $(CFLAGS_ALL) $(LDFLAGS_ALL) -Wl,-soname,$(SONAME) \
		-Wl,--version-script,userlib/libequant.map \
		$(if $(SANITIZE),,-Wl,-z,defs) -o $@ $(LIB_OBJS) $(LIB_LIBS)
	$(Q)ln -sf $(@F) $(O)/$(SONAME) && ln -sf $(SONAME) $(O)/libequant.so

$(O)/equant.pc: userlib/equant.pc.in $(O)/.pc
	$(call say,GEN,$@)
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(libdir)|' \
		-e 's|@INCLUDEDIR@|$(includedir)|' -e 's|@VERSION@|$(VERSION)|' \
		-e 's|@PRIVATE@|$(strip $(LIB_LIBS))|' $< > $@

$(eval $(call stamp,$(O)/.pc,$(PREFIX) $(libdir) $(includedir) $(VERSION) $(LIB_LIBS)))

# ---- bpf -------------------------------------------------------------------
# CO-RE: nothing of the build machine's kernel goes in, neither its BTF nor its
# version; only the user-space headers of libbpf and of the C library.

BPF_ARCH := $(shell uname -m | sed -e s/x86_64/x86/ -e s/aarch64/arm64/ -e 's/ppc64.*/powerpc/' \
	-e s/s390x/s390/ -e 's/riscv.*/riscv/')
BPF_CFLAGS = -target bpf -mcpu=v3 -g -O2 -Wall -Wextra -Wno-unused-parameter -Werror \
	-D__TARGET_ARCH_$(BPF_ARCH) \
	-Ibpf -Iuserlib/include $(MULTIARCH:%=-I/usr/include/%)

BPF_SRCS := $(wildcard bpf/*.bpf.c)
BPF_SKELS := $(BPF_SRCS:bpf/%.bpf.c=$(O)/skel/%.skel.h)

$(eval $(call stamp,$(O)/.bpf-flags,$(CLANG) $(BPF_CFLAGS) $(BPFTOOL)))

# bpf_object(FOLDER IN THE TREE, FOLDER OF THE SKELETON)
define bpf_object
$(O)/$(1)/%.bpf.o: $(1)/%.bpf.c $(O)/.bpf-flags
	$$(call say,BPF,$$<)
	$(Q)mkdir -p $$(@D) && $$(CLANG) $$(BPF_CFLAGS) -I$(1) $$(DEPFLAGS) -c -o $$@.tmp $$< && \
		$$(LLVM_STRIP) -g $$@.tmp && mv $$@.tmp $$@

$(O)/$(2)/%.skel.h: $(O)/$(1)/%.bpf.o
	$$(call say,SKEL,$$@)
	$(Q)mkdir -p $$(@D) && $$(BPFTOOL) gen skeleton $$< name $$(subst -,_,$$*)_bpf > $$@.tmp && \
		mv $$@.tmp $$@
endef
$(eval $(call bpf_object,bpf,skel))

# ---- tools: the command `equant` -------------------------------------------

TOOL_SRCS := $(sort $(wildcard tools/equant/*.c))
ifneq ($(HAVE_MPI),1)
TOOL_SRCS := $(shell grep -LE '[</"](equant/equant|equant/report|run|demo)\.h[>"]' $(TOOL_SRCS))
endif
TOOL_OBJS := $(TOOL_SRCS:%.c=$(O)/%.o)
TOOL := $(if $(TOOL_SRCS),$(O)/bin/equant)
TOOL_CPPFLAGS = $(MPI_CFLAGS) -Itools/equant -I$(O)/skel -DEQUANT_LIBEXECDIR='"$(libexecdir)/equant"'

$(eval $(call stamp,$(O)/.tool-objects,$(TOOL_OBJS)))
$(eval $(call stamp,$(O)/.tool-flags,$(libexecdir)))

$(O)/tools/equant/%.o: tools/equant/%.c $(O)/.flags $(O)/.tool-flags | $(O)/include/have.h \
		$(if $(filter 1,$(HAVE_BPF)),$(BPF_SKELS))
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(COMPILE) $(TOOL_CPPFLAGS) -c -o $@ $<

$(O)/bin/equant: $(TOOL_OBJS) $(LIB_A) $(O)/.tool-objects
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $(TOOL_OBJS) $(LIB_A) \
		$(BPF_LIBS) $(MPI_LIBS) $(LIBURING_LIBS) -lm

# ---- apps: one program per file ---------------------------------------------
# They are found beside the command: $(O)/bin/equant runs $(O)/libexec/equant/mm.

APP_SRCS := $(sort $(wildcard apps/*.c))
ifneq ($(HAVE_MPI),1)
# Those that need it say so themselves, or a header of theirs does.
APP_MPI := -e '[</](mpi|equant)\.h>'
APP_HEADERS := $(notdir $(shell grep -slE $(APP_MPI) apps/*.h))
APP_SRCS := $(if $(APP_SRCS),$(shell grep -LE $(APP_MPI) $(APP_HEADERS:%=-e '"%"') $(APP_SRCS)))
endif
APPS := $(APP_SRCS:apps/%.c=$(O)/libexec/equant/%)

$(O)/apps/%.o: apps/%.c $(O)/.flags
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(COMPILE) $(MPI_CFLAGS) $(PNG_CFLAGS) \
		-DEQUANT_HAVE_PNG=$(HAVE_PNG) -c -o $@ $<

$(APPS): $(O)/libexec/equant/%: $(O)/apps/%.o $(LIB_A)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $< $(LIB_A) $(MPI_LIBS) \
		$(LIBURING_LIBS) $(PNG_LIBS) -lm

# ---- all --------------------------------------------------------------------

PRODUCTS := $(if $(LIB_OBJS),$(LIB_A) $(LIB_SO) $(O)/equant.pc) \
	$(if $(filter 1,$(HAVE_BPF)),$(BPF_SKELS)) $(TOOL) $(APPS)

PHONY += all products
products: $(PRODUCTS)

all: products
	@$(if $(filter-out 0,$(NR_LEFT_OUT)),printf 'left out: %s\n' $(LEFT_OUT);) :

DEPS += $(LIB_OBJS:.o=.d) $(TOOL_OBJS:.o=.d) $(APP_SRCS:%.c=$(O)/%.d) \
	$(BPF_SRCS:%.c=$(O)/%.d)
-include $(wildcard $(DEPS))
