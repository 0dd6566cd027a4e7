# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# libequant_gemr2d: ScaLAPACK's p?gemr2d, beside libequant.

# Both ways: a command line may leave out either.
GEMR2D := $(and $(filter 1,$(HAVE_MPI)),$(filter 1,$(HAVE_SCALAPACK)))

GLIB_OBJS := $(if $(GEMR2D),$(patsubst %.c,$(O)/%.o,$(sort $(wildcard userlib/gemr2d/*.c))))
GLIB_SONAME := libequant_gemr2d.so.$(SOVERSION)
GLIB_SO := $(if $(GEMR2D),$(O)/libequant_gemr2d.so.$(VERSION))
GLIB_A := $(if $(GEMR2D),$(O)/libequant_gemr2d.a)
GLIB_PC := $(if $(GEMR2D),$(O)/equant-gemr2d.pc)

ifneq ($(GEMR2D),)
$(eval $(call stamp,$(O)/.gemr2d-objects,$(GLIB_OBJS) $(SCALAPACK_LIBS)))

# The line on standard error is no part of libequant's interface, so it is in both.
$(GLIB_A): $(GLIB_OBJS) $(O)/.gemr2d-objects
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcsD $@ $(GLIB_OBJS)

$(GLIB_SO): $(GLIB_OBJS) $(O)/userlib/core/message.o $(O)/.gemr2d-objects $(LIB_SO)
	$(call say,LD,$@)
	$(Q)$(CC) -shared $(CFLAGS_ALL) $(LDFLAGS_ALL) -Wl,-soname,$(GLIB_SONAME) \
		$(if $(SANITIZE),,-Wl,-z,defs) -o $@ $(GLIB_OBJS) $(O)/userlib/core/message.o \
		$(LIB_SO) $(SCALAPACK_LIBS) $(MPI_LIBS)
	$(Q)ln -sf $(@F) $(O)/$(GLIB_SONAME) && ln -sf $(GLIB_SONAME) $(O)/libequant_gemr2d.so

$(GLIB_PC): userlib/gemr2d/equant-gemr2d.pc.in $(O)/.gemr2d-pc
	$(call say,GEN,$@)
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(libdir)|' -e 's|@VERSION@|$(VERSION)|' \
		-e 's|@PRIVATE@|$(strip $(SCALAPACK_LIBS) $(MPI_LIBS))|' $< > $@

$(eval $(call stamp,$(O)/.gemr2d-pc,$(PREFIX) $(libdir) $(VERSION) $(SCALAPACK_LIBS) $(MPI_LIBS)))
endif

products: $(GLIB_A) $(GLIB_SO) $(GLIB_PC)

-include $(wildcard $(GLIB_OBJS:.o=.d))
