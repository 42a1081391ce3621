#!/bin/busybox sh
# Pid 1 in the initramfs: loads what the root file system needs, and leaves for
# it. The root is the stock tree, read-only over 9p, under a tmpfs. If anything
# fails, the kernel panics and the machine ends.
set -e
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
for module in /modules/*; do insmod "$module"; done
mount -t 9p -o ro,trans=virtio,version=9p2000.L,cache=loose,msize=512000 stock /lower
mount -t tmpfs tmpfs /upper
mkdir /upper/files /upper/work
mount -t overlay -o lowerdir=/lower,upperdir=/upper/files,workdir=/upper/work root /root
cp /serve.sh /root/serve.sh
for dir in proc sys dev; do mount --move /$dir /root/$dir; done
# A plain chroot would not do: whoever enters another mount namespace lands in
# its real root.
exec switch_root /root /bin/sh /serve.sh
