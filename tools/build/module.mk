# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# make modules, make modules_install: the kernel module for one kernel, KDIR.
# make dkms_install: its sources, where DKMS builds them for every kernel.

KDIR ?= /lib/modules/$(shell uname -r)/build
sysconfdir ?= /etc
udevdir ?= /lib/udev/rules.d
dkmsdir ?= /usr/src/equant-$(VERSION)

MODULE_SOURCES := Kbuild kmod/Kbuild $(wildcard kmod/*.[ch]) \
	userlib/include/equant/abi.h userlib/include/equant/kmod.h

module = SOURCES='$(MODULE_SOURCES)' tools/build/module.sh '$(KDIR)' '$(O)/modules' $(1) V=$(V) \
	$(if $(W),W=$(W)) $(if $(C),C=$(C))

PHONY += modules modules_install module_settings dkms_install
modules:
	$(call say,MODULE,$(KDIR))
	$(Q)$(call module,modules)

modules_install: modules module_settings
	$(Q)$(call module,modules_install) $(if $(DESTDIR),INSTALL_MOD_PATH='$(abspath $(DESTDIR))')

module_settings:
	$(Q)$(INSTALL) -d '$(DESTDIR)$(sysconfdir)/modprobe.d' '$(DESTDIR)$(udevdir)'
	$(Q)file='$(DESTDIR)$(sysconfdir)/modprobe.d/equant.conf'; [ -e "$$file" ] || \
		$(INSTALL) -m 644 kmod/equant.conf "$$file" # which the administrator changes
	$(Q)$(INSTALL) -m 644 kmod/60-equant.rules '$(DESTDIR)$(udevdir)/60-equant.rules'

dkms_install: module_settings
	$(Q)for file in $(MODULE_SOURCES); do \
		$(INSTALL) -D -m 644 "$$file" "$(DESTDIR)$(dkmsdir)/$$file" || exit 1; done
	$(Q)sed 's/@VERSION@/$(VERSION)/' kmod/dkms.conf.in > '$(DESTDIR)$(dkmsdir)/dkms.conf'
