#!/bin/sh
# Where the kernel has CAP_BPF and CAP_PERFMON, Debian's bpftool wants them for
# a full probe. The chart gives the agent CAP_SYS_ADMIN, which the kernel takes
# for both. Of the probe the agent reads the kernel's configuration alone
# (pkg/datapath/linux/probes), and that the unprivileged probe has too.
case "$*" in
"-j feature probe") set -- "$@" unprivileged ;;
esac
exec /usr/sbin/bpftool "$@"
