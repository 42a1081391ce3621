//go:build vm

package vm

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/cnibench/cnibench/internal/lab/supply/debian"
	"github.com/cnibench/cnibench/internal/lab/supply/progress"
	"github.com/cnibench/cnibench/internal/lab/supply/tree"
)

// kernelPackage depends on the package of the distribution's present kernel.
const kernelPackage = "linux-image-amd64"

// emulator runs on the machine, out of its tree.
var emulator = []string{"qemu-system-x86", "qemu-system-common", "qemu-system-data", "seabios", "ipxe-qemu"}

// userland is what the guest has besides its kernel: a machine as small as
// can run labs.
var userland = []string{
	"base-files", "bash", "busybox-static", "coreutils", "dash", "findutils", "grep", "iproute2", "kmod", "mount",
	"procps", "sed", "tcpdump", "util-linux",
}

// stock is the tree that the guest boots from and that QEMU lies in.
type stock struct {
	root   string // directory of the tree
	kernel string // its release: "6.1.0-42-amd64"
}

// modules is the directory of the kernel's modules.
func (s stock) modules() string { return filepath.Join(s.root, "usr/lib/modules", s.kernel) }

// getStock returns the tree in the cache and makes it first if need be, which
// takes about a minute. The caller holds the lock of dir.
func getStock(ctx context.Context, dir string) (stock, error) {
	names := append(append([]string{kernelPackage}, emulator...), userland...)
	key := fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(names, "\n"))))[:16]
	place := filepath.Join(dir, key)
	if _, err := os.Stat(place); errors.Is(err, os.ErrNotExist) {
		temp := filepath.Join(dir, "tmp")
		if err := errors.Join(os.RemoveAll(temp), os.MkdirAll(temp, 0o755)); err != nil {
			return stock{}, err
		}
		if err := makeStock(ctx, dir, temp, names); err != nil {
			return stock{}, errors.Join(err, os.RemoveAll(temp))
		}
		if err := os.Rename(temp, place); err != nil {
			return stock{}, err
		}
	}
	return openStock(filepath.Join(place, "root"))
}

// openStock reads which kernel the tree has.
func openStock(root string) (stock, error) {
	kernels, err := filepath.Glob(filepath.Join(root, "boot/vmlinuz-*"))
	if err != nil || len(kernels) != 1 {
		return stock{}, fmt.Errorf("the tree %s has the kernels %q, want one", root, kernels)
	}
	return stock{root, strings.TrimPrefix(filepath.Base(kernels[0]), "vmlinuz-")}, nil
}

func makeStock(ctx context.Context, dir, temp string, names []string) (err error) {
	step := progress.Start("kernel and QEMU", func(p progress.Progress) { fmt.Fprintln(os.Stderr, p) })
	defer func() { step.End(err != nil) }()
	apt, err := debian.NewApt(filepath.Join(dir, "apt"))
	if err != nil {
		return err
	}
	archives, err := apt.Fetch(ctx, names, step)
	if err != nil {
		return err
	}
	scratch := filepath.Join(temp, "unpacked")
	if err := os.Mkdir(scratch, 0o755); err != nil {
		return err
	}
	pool, err := debian.Unpack(ctx, archives, scratch, step)
	if err != nil {
		return err
	}
	for _, a := range archives {
		if strings.HasPrefix(a.Name, "linux-image-") && a.Name != kernelPackage {
			names = append(names, a.Name)
		}
	}
	t, _, err := pool.Select(names)
	if err != nil {
		return err
	}
	root := filepath.Join(temp, "root")
	if err := lay(t, root); err != nil {
		return err
	}
	return os.RemoveAll(scratch)
}

// lay writes the tree and the index of the kernel's modules, which the
// package's maintainer script would have made.
func lay(t *tree.Tree, root string) error {
	if err := debian.Complete(t, nil); err != nil {
		return err
	}
	if err := os.Mkdir(root, 0o755); err != nil {
		return err
	}
	if err := t.Extract(root); err != nil {
		return err
	}
	s, err := openStock(root)
	if err != nil {
		return err
	}
	index := exec.Command("/usr/sbin/depmod", s.kernel)
	index.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	index.Dir = "/"
	if out, err := index.CombinedOutput(); err != nil {
		return fmt.Errorf("indexing the kernel's modules: %w: %s", err, out)
	}
	return nil
}
