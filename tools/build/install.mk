# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# make install, make uninstall: below $(DESTDIR)$(PREFIX).

DOCS := README COPYING $(sort $(wildcard Documentation/*.rst))
DOCS := $(wildcard $(DOCS))

# Removed by name: other software's files may be in the same folders.
INSTALLED = $(LIB_HEADERS:userlib/include/%=$(includedir)/%) \
	$(libdir)/libequant.a $(libdir)/$(notdir $(LIB_SO)) $(libdir)/$(SONAME) \
	$(libdir)/libequant.so $(libdir)/pkgconfig/equant.pc \
	$(TOOL:$(O)/bin/%=$(bindir)/%) $(APPS:$(O)/libexec/%=$(libexecdir)/%) \
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
	$(Q)$(call install_files,755,$(bindir),$(TOOL))
	$(Q)$(call install_files,755,$(libexecdir)/equant,$(APPS))
	$(Q)$(call install_files,644,$(docdir),$(DOCS))
	$(Q)if [ -z '$(DESTDIR)' ] && [ "$$(id -u)" -eq 0 ]; then ldconfig; fi

uninstall:
	$(call say,REMOVE,$(DESTDIR)$(PREFIX))
	$(Q)rm -f $(INSTALLED:%='$(DESTDIR)%')
	$(Q)-rmdir $(foreach d,$(includedir)/equant $(libexecdir)/equant $(docdir),'$(DESTDIR)$(d)') \
		2>/dev/null; true
