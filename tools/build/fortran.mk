# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# Module equant: libequant_fortran beside libequant, and the programs in Fortran.

FFLAGS ?= -O2 -g
FSTD := -std=f2018 -fimplicit-none -ffp-contract=off
FFLAGS_ALL = $(FSTD) $(WARN) $(FFLAGS) $(SANITIZE:%=-fsanitize=%)
FMODULES := $(O)/fortran
FCOMPILE = $(FC) $(FFLAGS_ALL) $(MPIF_CFLAGS)

# Both ways: a command line may leave out either.
FORTRAN := $(and $(filter 1,$(HAVE_MPI)),$(filter 1,$(HAVE_FORTRAN)))

$(eval $(call stamp,$(O)/.fortran-flags,$(FC) $(FFLAGS_ALL) $(MPIF_CFLAGS)))

FLIB_SRCS := $(if $(FORTRAN),$(sort $(wildcard userlib/fortran/*.f90)))
FLIB_C := $(if $(FORTRAN),$(sort $(wildcard userlib/fortran/*.c)))
FLIB_OBJS := $(FLIB_SRCS:%.f90=$(O)/%.o) $(FLIB_C:%.c=$(O)/%.o)
FLIB_MODULES := $(FLIB_SRCS:userlib/fortran/%.f90=$(FMODULES)/%.mod)
FLIB_SONAME := libequant_fortran.so.$(SOVERSION)
FLIB_SO := $(if $(FORTRAN),$(O)/libequant_fortran.so.$(VERSION))
FLIB_A := $(if $(FORTRAN),$(O)/libequant_fortran.a)
FLIB_PC := $(if $(FORTRAN),$(O)/equant-fortran.pc)

ifneq ($(FORTRAN),)
$(eval $(call stamp,$(O)/.fortran-objects,$(FLIB_OBJS)))

$(FLIB_C:%.c=$(O)/%.o): $(O)/userlib/fortran/%.o: userlib/fortran/%.c $(O)/.flags
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(COMPILE) -Iuserlib $(MPI_CFLAGS) -idirafter $(FORTRAN_BINDING) \
		-fPIC -c -o $@ $<

$(FLIB_SRCS:%.f90=$(O)/%.o): $(O)/userlib/fortran/%.o: userlib/fortran/%.f90 $(O)/.fortran-flags
	$(call say,FC,$<)
	$(Q)mkdir -p $(@D) $(FMODULES) && $(FCOMPILE) -J$(FMODULES) -fPIC -c -o $@ $<

# A module is written when its source is compiled, before those that use it; programs wait for
# the archive, in which all of them are.
FLIB_PARTS := $(filter-out %/equant.o %/equant_types.o,$(FLIB_SRCS:%.f90=$(O)/%.o))
$(FLIB_PARTS): $(O)/userlib/fortran/equant_types.o
$(O)/userlib/fortran/equant.o: $(FLIB_PARTS)

$(FLIB_A): $(FLIB_OBJS) $(O)/.fortran-objects
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcsD $@ $(FLIB_OBJS)

# The line on standard error is no part of libequant's interface, so it is in both.  No version
# script: MPI_IN_PLACE is a common block, and must be the program's in here too.
$(FLIB_SO): $(FLIB_OBJS) $(O)/userlib/core/message.o $(O)/.fortran-objects $(LIB_SO)
	$(call say,LD,$@)
	$(Q)$(FC) -shared $(FFLAGS_ALL) $(LDFLAGS_ALL) -Wl,-soname,$(FLIB_SONAME) \
		$(if $(SANITIZE),,-Wl,-z,defs) -o $@ $(FLIB_OBJS) $(O)/userlib/core/message.o \
		$(LIB_SO) $(MPIF_LIBS)
	$(Q)ln -sf $(@F) $(O)/$(FLIB_SONAME) && ln -sf $(FLIB_SONAME) $(O)/libequant_fortran.so

$(FLIB_PC): userlib/fortran/equant-fortran.pc.in $(O)/.fortran-pc
	$(call say,GEN,$@)
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(libdir)|' \
		-e 's|@MODDIR@|$(moddir)|' -e 's|@VERSION@|$(VERSION)|' \
		-e 's|@PRIVATE@|$(strip $(MPIF_LIBS))|' $< > $@

$(eval $(call stamp,$(O)/.fortran-pc,$(PREFIX) $(libdir) $(moddir) $(VERSION) $(MPIF_LIBS)))
endif

# ---- apps ------------------------------------------------------------------------

FAPPS := $(if $(FORTRAN),$(patsubst apps/%.f90,$(O)/libexec/equant/%,$(sort $(wildcard apps/*.f90))))

$(FAPPS): $(O)/libexec/equant/%: apps/%.f90 $(FLIB_A) $(LIB_A) $(O)/.fortran-flags
	$(call say,FC,$<)
	$(Q)mkdir -p $(@D) $(O)/apps && $(FCOMPILE) -I$(FMODULES) -J$(O)/apps $(LDFLAGS_ALL) -o $@ $< \
		$(FLIB_A) $(LIB_A) \
		$(MPIF_LIBS) $(LIBURING_LIBS) -lm

products: $(FLIB_A) $(FLIB_SO) $(FLIB_PC) $(FAPPS)

DEPS += $(FLIB_C:%.c=$(O)/%.d)
-include $(wildcard $(FLIB_C:%.c=$(O)/%.d))
