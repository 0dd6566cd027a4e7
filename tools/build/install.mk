# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# make install, make uninstall: below $(DESTDIR)$(PREFIX).

# They are words of lists.
ifneq ($(filter install uninstall,$(MAKECMDGOALS)),)
$(foreach folder,PREFIX bindir libdir libexecdir includedir moddir docdir,$(if \
	$(filter-out 0 1,$(words $($(folder)))),$(error $(folder)=$($(folder)): a folder without blanks, please)))
endif

DOCS := README COPYING $(sort $(wildcard Documentation/*.rst))
DOCS := $(wildcard $(DOCS))

# Removed by name: other software's files may be in the same folders.
INSTALLED = $(LIB_HEADERS:userlib/include/%=$(includedir)/%) \
	$(libdir)/libequant.a $(libdir)/$(notdir $(LIB_SO)) $(libdir)/$(SONAME) \
	$(libdir)/libequant.so $(libdir)/pkgconfig/equant.pc \
	$(if $(FORTRAN),$(FLIB_MODULES:$(FMODULES)/%=$(moddir)/%) $(addprefix $(libdir)/, \
		libequant_fortran.a $(notdir $(FLIB_SO)) $(FLIB_SONAME) libequant_fortran.so \
		pkgconfig/equant-fortran.pc)) \
	$(if $(GEMR2D),$(addprefix $(libdir)/,libequant_gemr2d.a $(notdir $(GLIB_SO)) $(GLIB_SONAME) \
		libequant_gemr2d.so pkgconfig/equant-gemr2d.pc)) \
	$(TOOL:$(O)/bin/%=$(bindir)/%) $(patsubst $(O)/libexec/%,$(libexecdir)/%,$(APPS) $(FAPPS) $(PRELOAD_SO)) \
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
	$(Q)if [ -z '$(DESTDIR)' ] && [ "$$(id -u)" -eq 0 ]; then ldconfig; fi

uninstall:
	$(call say,REMOVE,$(DESTDIR)$(PREFIX))
	$(Q)rm -f $(INSTALLED:%='$(DESTDIR)%')
	$(Q)-rmdir $(foreach d,$(includedir)/equant $(moddir) $(libexecdir)/equant $(docdir),'$(DESTDIR)$(d)') \
		2>/dev/null; true
