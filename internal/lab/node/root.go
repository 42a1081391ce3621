//go:build linux

package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// enterRoot makes the node's own root file system from the shared read-only
// one and moves the calling process into it, in its own mount namespace.
func enterRoot(n Node) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	root := filepath.Join(n.Dir, "root")
	options := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s", n.Root, filepath.Join(n.Dir, "upper"), filepath.Join(n.Dir, "work"))
	if err := mount("overlay", root, "overlay", 0, options); err != nil {
		return err
	}
	if err := mountKernel(root); err != nil {
		return err
	}
	if err := makeDevices(filepath.Join(root, "dev")); err != nil {
		return err
	}
	for _, b := range n.Binds {
		if err := bind(root, b); err != nil {
			return err
		}
	}
	return pivot(root)
}

// mountKernel mounts the kernel's file systems as seen from the node's
// namespaces; control groups stay the machine's, as on a real node.
func mountKernel(root string) error {
	in := func(p string) string { return filepath.Join(root, p) }
	if err := mount("proc", in("proc"), "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return err
	}
	if err := mount("sysfs", in("sys"), "sysfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return err
	}
	if err := mount("/sys/fs/cgroup", in("sys/fs/cgroup"), "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return err
	}
	// Kernels without BPF run the other plugins.
	if _, err := os.Stat(in("sys/fs/bpf")); err == nil {
		if err := mount("bpf", in("sys/fs/bpf"), "bpf", 0, ""); err != nil {
			return err
		}
	}
	for _, dir := range []string{"run", "tmp"} {
		if err := mount("tmpfs", in(dir), "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777"); err != nil {
			return err
		}
	}
	if err := os.Mkdir(in("run/lock"), 0o755); err != nil {
		return err
	}
	return ownParameters(in("proc/sys"), in("run/cnibench/sys"))
}

// machineParameters are kernel parameters that belong to no namespace and that
// programs of a node are known to set: kubelet (pkg/util/sysctl), and Cilium's
// agent (pkg/datapath/loader), one of them for good.
var machineParameters = []string{
	"kernel/keys/root_maxbytes", "kernel/keys/root_maxkeys", "kernel/panic", "kernel/panic_on_oops", "kernel/timer_migration",
	"kernel/unprivileged_bpf_disabled", "vm/overcommit_memory", "vm/panic_on_oom",
}

// ownParameters covers the machine's parameters with files of the node's, which
// programs may set as they like without changing the machine.
func ownParameters(sys, dir string) error {
	for _, name := range machineParameters {
		value, err := os.ReadFile(filepath.Join(sys, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // not in this kernel
		}
		if err != nil {
			return fmt.Errorf("reading a kernel parameter: %w", err)
		}
		own := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(own), 0o755); err != nil {
			return fmt.Errorf("covering a kernel parameter: %w", err)
		}
		if err := os.WriteFile(own, value, 0o644); err != nil {
			return fmt.Errorf("covering a kernel parameter: %w", err)
		}
		if err := unix.Mount(own, filepath.Join(sys, name), "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("covering kernel parameter %s: %w", name, err)
		}
	}
	return nil
}

func mount(source, target, fstype string, flags uintptr, options string) error {
	if err := os.MkdirAll(target, 0o755); err != nil {
		return fmt.Errorf("mounting %s: %w", target, err)
	}
	if err := unix.Mount(source, target, fstype, flags, options); err != nil {
		return fmt.Errorf("mounting %s on %s: %w", source, target, err)
	}
	return nil
}

// bind mounts a host path inside root. A missing source is an error of the
// caller's; lib/modules on a kernel without modules is not bound at all.
func bind(root string, b Bind) error {
	target := filepath.Join(root, b.Target)
	info, err := os.Stat(b.Source)
	if err != nil {
		return fmt.Errorf("binding %s: %w", b.Target, err)
	}
	if info.IsDir() {
		err = os.MkdirAll(target, 0o755)
	} else {
		err = touch(target)
	}
	if err != nil {
		return fmt.Errorf("binding %s: %w", b.Target, err)
	}
	if err := unix.Mount(b.Source, target, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("binding %s: %w", b.Target, err)
	}
	if !b.ReadOnly {
		return nil
	}
	if err := unix.Mount("", target, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		return fmt.Errorf("binding %s read-only: %w", b.Target, err)
	}
	return nil
}

func touch(file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}

// device numbers are fixed by the kernel's Documentation/admin-guide/devices.txt.
var devices = []struct {
	name         string
	major, minor uint32
}{
	{"null", 1, 3}, {"zero", 1, 5}, {"full", 1, 7}, {"random", 1, 8}, {"urandom", 1, 9},
	{"kmsg", 1, 11}, {"tty", 5, 0}, {"console", 5, 1}, {"net/tun", 10, 200},
}

// makeDevices fills the node's own /dev, so that privileged pods see no device
// of the machine.
func makeDevices(dev string) error {
	if err := mount("tmpfs", dev, "tmpfs", unix.MS_NOSUID, "mode=755"); err != nil {
		return err
	}
	for _, dir := range []string{"net", "shm", "mqueue", "pts"} {
		if err := os.Mkdir(filepath.Join(dev, dir), 0o755); err != nil {
			return fmt.Errorf("making /dev: %w", err)
		}
	}
	for _, d := range devices {
		if err := unix.Mknod(filepath.Join(dev, d.name), unix.S_IFCHR|0o666, int(unix.Mkdev(d.major, d.minor))); err != nil {
			return fmt.Errorf("making /dev/%s: %w", d.name, err)
		}
	}
	links := map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx"}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(dev, name)); err != nil {
			return fmt.Errorf("making /dev/%s: %w", name, err)
		}
	}
	if err := mount("tmpfs", filepath.Join(dev, "shm"), "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, ""); err != nil {
		return err
	}
	if err := mount("mqueue", filepath.Join(dev, "mqueue"), "mqueue", unix.MS_NOSUID|unix.MS_NODEV, ""); err != nil {
		return err
	}
	return mount("devpts", filepath.Join(dev, "pts"), "devpts", unix.MS_NOSUID, "newinstance,ptmxmode=0666,mode=620")
}

// pivot makes root the process's root and forgets the machine's. Mounts are
// shared from here on, because CNI daemons mount with propagation.
func pivot(root string) error {
	old := filepath.Join(root, ".old")
	if err := os.Mkdir(old, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("entering the root file system: %w", err)
	}
	if err := unix.PivotRoot(root, old); err != nil {
		return fmt.Errorf("entering the root file system: %w", err)
	}
	if err := os.Chdir("/"); err != nil {
		return fmt.Errorf("entering the root file system: %w", err)
	}
	if err := unix.Unmount("/.old", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leaving the machine's root file system: %w", err)
	}
	if err := os.Remove("/.old"); err != nil {
		return fmt.Errorf("leaving the machine's root file system: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SHARED, ""); err != nil {
		return fmt.Errorf("sharing mounts: %w", err)
	}
	return nil
}

// setSysctls writes kernel parameters of the node's namespaces, given by their
// dotted names.
func setSysctls(values map[string]string) error {
	for name, value := range values {
		file := filepath.Join("/proc/sys", strings.ReplaceAll(name, ".", "/"))
		if err := os.WriteFile(file, []byte(value), 0); err != nil {
			return fmt.Errorf("setting %s to %q: %w", name, value, err)
		}
	}
	return nil
}
