# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# libequant_profile.so: loaded before programs by `equant run --profile`, which finds it beside the applications.
# A sanitizer wants to be the first library itself.

PRELOAD_OBJS := $(if $(and $(filter 1,$(HAVE_MPI)),$(if $(SANITIZE),,1)),$(patsubst %.c,$(O)/%.o,$(sort $(wildcard userlib/preload/*.c))))
PRELOAD_SO := $(if $(PRELOAD_OBJS),$(O)/libexec/equant/libequant_profile.so)

ifneq ($(PRELOAD_OBJS),)
$(eval $(call stamp,$(O)/.preload-objects,$(PRELOAD_OBJS)))

# Programs may have libequant themselves, of another version perhaps: what is here of it nobody else sees.  MPI
# comes with whoever calls it, a plugin perhaps: a library that is needed here would come before that one.
$(PRELOAD_SO): $(PRELOAD_OBJS) $(LIB_A) $(O)/.preload-objects
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(CC) -shared $(CFLAGS_ALL) $(LDFLAGS_ALL) -Wl,--exclude-libs,ALL \
		-Wl,-z,defs -o $@ $(PRELOAD_OBJS) $(LIB_A) $(LIBURING_LIBS) -lm
endif

products: $(PRELOAD_SO)

-include $(wildcard $(PRELOAD_OBJS:.o=.d))
