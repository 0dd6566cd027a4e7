# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
# make modules, make modules_install: the kernel module for one kernel, KDIR.

KDIR ?= /lib/modules/$(shell uname -r)/build
sysconfdir ?= /etc
udevdir ?= /lib/udev/rules.d

module = tools/build/module.sh '$(KDIR)' '$(O)/modules' $(1) V=$(V) $(if $(W),W=$(W)) $(if $(C),C=$(C))

PHONY += modules modules_install
modules:
	$(call say,MODULE,$(KDIR))
	$(Q)$(call module,modules)

modules_install: modules
	$(Q)$(call module,modules_install) $(if $(DESTDIR),INSTALL_MOD_PATH='$(abspath $(DESTDIR))')
	$(Q)$(INSTALL) -d '$(DESTDIR)$(sysconfdir)/modprobe.d' '$(DESTDIR)$(udevdir)'
	$(Q)$(INSTALL) -m 644 kmod/equant.conf '$(DESTDIR)$(sysconfdir)/modprobe.d/equant.conf'
	$(Q)$(INSTALL) -m 644 kmod/60-equant.rules '$(DESTDIR)$(udevdir)/60-equant.rules'
