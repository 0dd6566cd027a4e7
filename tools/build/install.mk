# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# make install, make uninstall: below $(DESTDIR)$(PREFIX).

# They are words of lists.
ifneq ($(filter install uninstall,$(MAKECMDGOALS)),)
$(foreach folder,PREFIX bindir libdir libexecdir includedir moddir docdir,$(if \
	$(filter-out 0 1,$(words $($(folder)))),$(error $(folder)=$($(folder)): a folder without blanks, please)))
endif

DOCS := README COPYING $(sort $(wildcard Documentation/*.rst))
DOCS := $(wildcard $(DOCS))

# Removed by name: other software's files may be in the same folders.  All that may have been installed, whatever this
# machine can build today.
INSTALLED = $(patsubst userlib/include/%,$(includedir)/%,$(wildcard userlib/include/equant/*.h)) \
	$(foreach library,libequant libequant_fortran libequant_gemr2d,$(addprefix $(libdir)/$(library), \
		.a .so $(SONAME:libequant%=%) $(patsubst libequant%,%,$(notdir $(LIB_SO))))) \
	$(patsubst %,$(libdir)/pkgconfig/%.pc,equant equant-fortran equant-gemr2d) \
	$(patsubst userlib/fortran/%.f90,$(moddir)/%.mod,$(wildcard userlib/fortran/*.f90)) \
	$(bindir)/equant $(libexecdir)/equant/libequant_profile.so \
	$(patsubst apps/%,$(libexecdir)/equant/%,$(basename $(wildcard apps/*.c apps/*.f90))) \
	$(addprefix $(docdir)/,$(notdir $(DOCS)))

# install_files(MODE, FOLDER, FILES)
install_files = $(if $(3),$(call install_say,$(2))$(INSTALL) -d '$(DESTDIR)$(2)' && \
	$(INSTALL) -m $(1) $(3) '$(DESTDIR)$(2)')
install_say = $(if $(QUIET),:,printf '  %-7s %s\n' INSTALL '$(DESTDIR)$(1)');

PHONY += install uninstall
install: products
	$(Q)$(call install_files,644,$(includedir)/equant,$(LIB_HEADERS))
	$(Q)$(call install_files,644,$(libdir),$(LIB_A))
	$(Q)$(INSTALL) -m 755 $(LIB_SO) '$(DESTDIR)$(libdir)'
	$(Q)ln -sf $(notdir $(LIB_SO)) '$(DESTDIR)$(libdir)/$(SONAME)'
	$(Q)ln -sf $(SONAME) '$(DESTDIR)$(libdir)/libequant.so'
	$(Q)$(call install_files,644,$(libdir)/pkgconfig,$(O)/equant.pc)
	$(Q)$(call install_files,644,$(moddir),$(FLIB_MODULES))
	$(Q)$(call install_files,644,$(libdir),$(FLIB_A))
	$(Q)$(call install_files,755,$(libdir),$(FLIB_SO))
	$(Q)$(call install_files,644,$(libdir)/pkgconfig,$(FLIB_PC))
	$(if $(FORTRAN),$(Q)ln -sf $(notdir $(FLIB_SO)) '$(DESTDIR)$(libdir)/$(FLIB_SONAME)' && \
		ln -sf $(FLIB_SONAME) '$(DESTDIR)$(libdir)/libequant_fortran.so')
	$(Q)$(call install_files,644,$(libdir),$(GLIB_A))
	$(Q)$(call install_files,755,$(libdir),$(GLIB_SO))
	$(Q)$(call install_files,644,$(libdir)/pkgconfig,$(GLIB_PC))
	$(if $(GEMR2D),$(Q)ln -sf $(notdir $(GLIB_SO)) '$(DESTDIR)$(libdir)/$(GLIB_SONAME)' && \
		ln -sf $(GLIB_SONAME) '$(DESTDIR)$(libdir)/libequant_gemr2d.so')
	$(Q)$(call install_files,755,$(bindir),$(TOOL))
	$(Q)$(call install_files,755,$(libexecdir)/equant,$(APPS) $(FAPPS) $(PRELOAD_SO))
	$(Q)$(call install_files,644,$(docdir),$(DOCS))
	$(Q)$(renew_cache)

# Whoever became root by su(1) may not have sbin in the PATH.
renew_cache = if [ -z '$(DESTDIR)' ] && [ "$$(id -u)" -eq 0 ]; then PATH=$$PATH:/usr/sbin:/sbin ldconfig || \
	echo "install: the linker's cache is as it was (ldconfig)" >&2; fi

uninstall:
	$(call say,REMOVE,$(DESTDIR)$(PREFIX))
	$(Q)rm -f $(INSTALLED:%='$(DESTDIR)%')
	$(Q)$(renew_cache)
	$(Q)-rmdir $(foreach d,$(includedir)/equant $(moddir) $(libexecdir)/equant $(docdir),'$(DESTDIR)$(d)') \
		2>/dev/null; true
