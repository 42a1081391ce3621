package nodestate

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Where plugins put their files (the CNI specification's and the kernel's own
// places).
const (
	cniConfigDir = "/etc/cni/net.d"
	cniBinaryDir = "/opt/cni/bin"
	sysctlDir    = "/etc/sysctl.d"
	bpfDir       = "/sys/fs/bpf"
)

func readFiles(_ context.Context, n node) ([]found, error) {
	configs, err := n.dir(CNIConfig, cniConfigDir, false)
	if err != nil {
		return nil, err
	}
	binaries, err := n.dir(CNIBinary, cniBinaryDir, false)
	if err != nil {
		return nil, err
	}
	settings, err := n.dir(SysctlFile, sysctlDir, true)
	if err != nil {
		return nil, err
	}
	all := append(append(configs, binaries...), settings...)
	for _, pattern := range runPaths(n.paths) {
		matched, err := filepath.Glob(in(n.root, pattern))
		if err != nil {
			return all, fmt.Errorf("path %s: %w", pattern, err)
		}
		for _, file := range matched {
			all = append(all, n.path(file))
		}
	}
	return all, nil
}

func (n node) path(file string) found {
	detail := "file"
	if info, err := os.Lstat(file); err == nil && info.IsDir() {
		detail = "directory"
	}
	return found{Item{Path, n.name(file), detail}, func() error { return os.RemoveAll(file) }}
}

// name is the path of a file as the node sees it.
func (n node) name(file string) string {
	return "/" + strings.TrimPrefix(strings.TrimPrefix(file, strings.TrimSuffix(n.root, "/")), "/")
}

// dir lists the files of a directory, by their paths if full. One that is not
// there has none.
func (n node) dir(kind Kind, dir string, full bool) ([]found, error) {
	entries, err := os.ReadDir(in(n.root, dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []found
	for _, e := range entries {
		file := filepath.Join(in(n.root, dir), e.Name())
		item := Item{kind, e.Name(), ""}
		if full {
			item.Name = filepath.Join(dir, e.Name())
		}
		if item.Detail, err = describe(kind, file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return all, err
		}
		all = append(all, found{item, func() error { return os.RemoveAll(file) }})
	}
	return all, nil
}

// describe tells a file by its size, if it is large, or by its content.
func describe(kind Kind, file string) (string, error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return "directory", nil
	}
	if kind == CNIBinary {
		return fmt.Sprintf("%d bytes", info.Size()), nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("sha256:%.6x", sha256.Sum256(b)), nil
}

func readPins(_ context.Context, n node) ([]found, error) {
	var all []found
	top := in(n.root, bpfDir)
	err := filepath.WalkDir(top, func(file string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || file == top || strings.HasSuffix(file, ".debug") { // the kernel's own iterators
			return err
		}
		all = append(all, found{Item{Pin, n.name(file), ""}, func() error { return os.RemoveAll(file) }})
		return nil
	})
	return all, err
}

func readMounts(ctx context.Context, n node) ([]found, error) {
	info, err := mountinfo(n.root)
	if err != nil {
		return nil, err
	}
	all := bare(parseMounts(info))
	for i, f := range all {
		all[i].remove = func() error {
			return n.unmount(ctx, f.Name)
		}
	}
	return all, nil
}

// unmount takes a mount away. Seen from a container only the node's own mount
// namespace will do.
func (n node) unmount(ctx context.Context, point string) error {
	if n.root != "/" {
		_, err := n.run(ctx, "", "nsenter", "--target", "1", "--mount", "umount", "--lazy", point)
		return err
	}
	err := unix.Unmount(point, unix.MNT_DETACH)
	if errors.Is(err, unix.EINVAL) { // it is not mounted any more
		return nil
	}
	return gone(err)
}

// mountinfo reads the mounts of the node's first process, which are the node's.
func mountinfo(root string) (string, error) {
	b, err := os.ReadFile(in(root, "/proc/1/mountinfo"))
	if err != nil {
		return "", err
	}
	return string(b), nil
}

func readSysctls(context.Context, node) ([]found, error) {
	byIndex, err := links()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, l := range byIndex {
		if !ofPod(l) {
			names = append(names, l.Attrs().Name)
		}
	}
	var all []found
	for _, name := range sysctls(names) {
		b, err := os.ReadFile(sysctlFile(name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return all, err
		}
		all = append(all, found{Item{Sysctl, name, strings.TrimSpace(string(b))}, nil})
	}
	return all, nil
}

func readTunnelPorts(context.Context, node) ([]found, error) {
	var both strings.Builder
	for _, file := range []string{"/proc/self/net/udp", "/proc/self/net/udp6"} {
		b, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		both.Write(b)
	}
	return bare(parseTunnelPorts(both.String())), nil
}
