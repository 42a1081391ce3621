package lab

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/lab/cgroup"
	"github.com/cnibench/cnibench/internal/lab/node"
	"github.com/cnibench/cnibench/internal/lab/supply"
)

// imageStore is a containerd root with all images imported and unpacked.
// Nodes start from a clone of it: importing per node would take minutes.
func imageStore(kit supply.Kit) string {
	return filepath.Join(kit.Dir, "containerd", kit.Key)
}

// storeName is the scratch lab that fills the image store. No user can take
// the name.
const storeName = ".images"

// Supply gets everything that labs with the named network plugins and features
// need onto this machine: programs, images, and the image store. Those for
// which the supply has no part of their own (see supply.Parts) ask for nothing
// but what every lab needs. It returns at once if all is there.
func Supply(ctx context.Context, report func(supply.Progress), parts ...string) (supply.Kit, error) {
	dir, err := supply.DefaultDir()
	if err != nil {
		return supply.Kit{}, err
	}
	kit, err := supply.Ensure(ctx, dir, report, parts...)
	if err != nil {
		return supply.Kit{}, err
	}
	if _, err := os.Stat(imageStore(kit)); !errors.Is(err, fs.ErrNotExist) {
		return kit, err
	}
	unlock, err := lockState()
	if err != nil {
		return supply.Kit{}, err
	}
	defer unlock()
	if err := fillImageStore(ctx, kit, report); err != nil {
		return supply.Kit{}, fmt.Errorf("preparing images: %w", err)
	}
	return kit, nil
}

// fillImageStore runs one node with nothing but containerd and imports every
// image into it that the store it begins with does not have.
func fillImageStore(ctx context.Context, kit supply.Kit, report func(supply.Progress)) (err error) {
	group, dir := cgroupOf(storeName), labDir(storeName)
	if err := discardStore(dir, group); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, discardStore(dir, group)) }()
	store := imageStore(kit) + ".new"
	if err := os.RemoveAll(store); err != nil {
		return err
	}
	have, err := beginStore(ctx, kit, store)
	if err != nil {
		return err
	}
	n := node.Node{
		Name: "images", Addresses: network{}.worker(1), Cgroup: group + "/images",
		Root: kit.NodeRoot, Dir: filepath.Join(dir, "images"),
		Binds:    append(append(programBinds(kit), node.Bind{Source: store, Target: "/var/lib/containerd"}), archiveBinds(kit)...),
		Services: []node.Service{containerdService(group + "/images")},
	}
	pid, err := startStore(kit, dir, group, n)
	if err != nil {
		return err
	}
	for i, image := range kit.Images {
		if have[image.Name] == image.Digest {
			continue
		}
		report(supply.Progress{Step: "images", Done: i, Total: len(kit.Images), Detail: image.Name})
		if err := ctr(ctx, pid, n.Cgroup, "images", "import", archiveInside(image)); err != nil {
			return fmt.Errorf("importing %s: %w", image.Name, err)
		}
	}
	if err := collectGarbage(ctx, pid, n.Cgroup); err != nil {
		return err
	}
	if err := discardStore(dir, group); err != nil {
		return err
	}
	if err := os.Rename(store, imageStore(kit)); err != nil {
		return err
	}
	return imagesOf(kit).list(imageStore(kit))
}

// beginStore makes the directory of a new store and says which images it
// begins with.
func beginStore(ctx context.Context, kit supply.Kit, store string) (storeImages, error) {
	base, have, err := storeBase(kit)
	if err != nil {
		return nil, err
	}
	if base == "" {
		return nil, os.MkdirAll(store, 0o755)
	}
	return have, cloneStore(ctx, base, store)
}

// archiveInside is where the scratch node sees an image's archive. Archives of
// different parts of the kit lie in different directories.
func archiveInside(image supply.Image) string {
	dir := filepath.Dir(image.Archive)
	return filepath.Join("/images", filepath.Base(filepath.Dir(dir)), filepath.Base(image.Archive))
}

// archiveBinds shows the directories of all archives in the scratch node.
func archiveBinds(kit supply.Kit) []node.Bind {
	var binds []node.Bind
	for _, image := range kit.Images {
		b := node.Bind{Source: filepath.Dir(image.Archive), Target: filepath.Dir(archiveInside(image)), ReadOnly: true}
		if !slices.Contains(binds, b) {
			binds = append(binds, b)
		}
	}
	return binds
}

func startStore(kit supply.Kit, dir, group string, n node.Node) (int, error) {
	groups, err := cgroup.Detect()
	if err != nil {
		return 0, err
	}
	if err := createGroups(groups, group, []node.Node{n}); err != nil {
		return 0, err
	}
	f := commonFiles(n.Name, network{})
	f["/etc/containerd/config.toml"] = []byte(containerdConfig(plainRuntime) + noScheduledGarbage)
	if err := makeNodeDir(n, f); err != nil {
		return 0, err
	}
	api, _, err := listenLoopback()
	if err != nil {
		return 0, err
	}
	defer func() { _ = api.Close() }() // the supervisor has its own
	spec := node.Lab{Name: storeName, MTU: 1500, Bridge: network{}.host(bridgeHost), Cgroup: group, API: network{}.api(), Nodes: []node.Node{n}}
	s, err := startSupervisor(kit.NodeProgram, dir, spec, api)
	return s.nodes[n.Name], err
}

// runtimeStart bounds the wait for a containerd that does not come up.
const runtimeStart = 30 * time.Second

// ctr runs containerd's client in the scratch node, when containerd is up.
func ctr(ctx context.Context, pid int, group string, argv ...string) error {
	deadline := time.Now().Add(runtimeStart)
	for {
		cmd := enter(ctx, pid, group, append([]string{"ctr", "--address", containerdSocket, "--namespace", "k8s.io"}, argv...))
		out, err := cmd.CombinedOutput()
		if err == nil {
			return nil
		}
		if !strings.Contains(string(out), containerdSocket) || time.Now().After(deadline) || ctx.Err() != nil {
			return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// noScheduledGarbage keeps containerd from collecting garbage while images are
// imported: an image that replaces another of the same name takes its lower
// layers over, which nothing refers to until the import has ended.
const noScheduledGarbage = `[plugins."io.containerd.gc.v1.scheduler"]
startup_delay = "24h"
mutation_threshold = 0
deletion_threshold = 0
`

// collectGarbage removes what replaced images left, so that nodes need not:
// containerd does so when a lease is deleted.
func collectGarbage(ctx context.Context, pid int, group string) error {
	const lease = "cnibench-garbage"
	for _, argv := range [][]string{{"leases", "create", "--id", lease}, {"leases", "delete", "--sync", lease}} {
		if err := ctr(ctx, pid, group, argv...); err != nil {
			return fmt.Errorf("collecting garbage in the image store: %w", err)
		}
	}
	return nil
}

// discardStore ends the scratch node, if it is there, and removes its traces.
func discardStore(dir, group string) error {
	if pid, err := supervisorOf(filepath.Join(dir, "spec.json")); err == nil {
		if err := killSupervisor(pid); err != nil {
			return err
		}
	}
	groups, err := cgroup.Detect()
	if err != nil {
		return err
	}
	if err := errors.Join(groups.Remove(group), groups.RemoveIfEmpty(cgroupRoot)); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// cloneStore gives a node its own containerd root: hard links to the files
// that nobody changes, real copies of the databases.
func cloneStore(ctx context.Context, store, target string) error {
	link := exec.CommandContext(ctx, "cp", "-al", store, target)
	if out, err := link.CombinedOutput(); err != nil {
		// The cache may lie on another file system.
		if !strings.Contains(string(out), "cross-device") {
			return fmt.Errorf("cloning the image store: %w: %s", err, strings.TrimSpace(string(out)))
		}
		if err := os.RemoveAll(target); err != nil {
			return err
		}
		if out, err := exec.CommandContext(ctx, "cp", "-a", store, target).CombinedOutput(); err != nil {
			return fmt.Errorf("copying the image store: %w: %s", err, strings.TrimSpace(string(out)))
		}
		return nil
	}
	return copyDatabases(target)
}

func copyDatabases(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "fs" || d.IsDir() && d.Name() == "blobs" {
			return fs.SkipDir // image contents
		}
		if filepath.Ext(path) != ".db" {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.Remove(path); err != nil {
			return err
		}
		return os.WriteFile(path, b, 0o600)
	})
}
