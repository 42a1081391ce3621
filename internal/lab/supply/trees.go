package supply

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/cnibench/cnibench/internal/lab/supply/debian"
	"github.com/cnibench/cnibench/internal/lab/supply/progress"
	"github.com/cnibench/cnibench/internal/lab/supply/tree"
)

// buildDebian makes the images' lower layers (layers/NAME.tar) and, if it is
// among the sets, the node's root file system (root/) out of downloaded
// packages.
func (p *plan) buildDebian(ctx context.Context, sets []packageSet, dir string, step *progress.Step) (manifest, error) {
	unlock, err := p.store.lock(ctx, "apt", func() { step.Say("waiting for another cnibench that downloads packages", "") })
	if err != nil {
		return manifest{}, err
	}
	defer unlock()
	apt, err := debian.NewApt(filepath.Join(p.store.dir, "apt"))
	if err != nil {
		return manifest{}, err
	}
	archives, err := apt.Fetch(ctx, allPackages(sets), step)
	if err != nil {
		return manifest{}, err
	}
	scratch := filepath.Join(dir, "unpacked")
	if err := os.MkdirAll(scratch, 0o755); err != nil {
		return manifest{}, fmt.Errorf("unpacking Debian packages: %w", err)
	}
	pool, err := debian.Unpack(ctx, archives, scratch, step)
	if err != nil {
		return manifest{}, err
	}
	m, err := composeTrees(sets, dir, pool, step)
	if err != nil {
		return manifest{}, err
	}
	return m, os.RemoveAll(scratch)
}

// composeTrees writes each set's tree.
func composeTrees(sets []packageSet, dir string, pool *debian.Pool, step *progress.Step) (manifest, error) {
	packages := map[string]*Package{}
	sums := map[string]string{}
	for _, set := range sets {
		step.Say("composing", set.Name)
		t, used, err := composeTree(pool, set)
		if err != nil {
			return manifest{}, fmt.Errorf("composing %s from Debian packages: %w", set.Name, err)
		}
		for _, a := range used {
			if packages[a.Name] == nil {
				packages[a.Name] = &Package{Name: a.Name, Version: a.Version, Architecture: a.Architecture, SHA256: a.SHA256}
			}
			packages[a.Name].In = append(packages[a.Name].In, set.Name)
		}
		if sums[set.Name], err = storeTree(dir, set.Name, t); err != nil {
			return manifest{}, fmt.Errorf("storing %s: %w", set.Name, err)
		}
	}
	m := manifest{Versions: map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		m.Packages = append(m.Packages, *packages[name])
	}
	for _, name := range []string{"containerd", "runc"} {
		if packages[name] != nil {
			m.Versions[name] = packages[name].Version
		}
	}
	for _, set := range sets {
		if set.Name == nodeSet {
			m.Outputs = append(m.Outputs, "root")
		} else {
			m.Outputs = append(m.Outputs, layerFile(set.Name))
		}
	}
	var err error
	m.Digest, err = hashJSON(sums)
	return m, err
}

// composeTree makes one set's complete tree and checks that its programs have
// their libraries.
func composeTree(pool *debian.Pool, set packageSet) (*tree.Tree, []debian.Archive, error) {
	t, used, err := pool.Select(set.Packages)
	if err != nil {
		return nil, nil, err
	}
	if set.Name == nodeSet {
		if err := furnishNode(t); err != nil {
			return nil, nil, err
		}
	}
	if err := debian.Complete(t, set.Applets); err != nil {
		return nil, nil, err
	}
	return t, used, debian.CheckLibraries(t)
}

// furnishNode adds the node's directories, and the CNI plugins where every
// runtime looks for them. They are hard links because overlays and chroots see
// them alike.
func furnishNode(t *tree.Tree) error {
	for _, name := range nodeDirs {
		if err := t.AddDir(name, 0o755); err != nil {
			return err
		}
	}
	for name, content := range nodeFiles {
		if err := t.AddData(name, 0o644, content); err != nil {
			return err
		}
	}
	plugins := t.Under("usr/lib/cni")
	if len(plugins) == 0 {
		return errors.New("the package containernetworking-plugins has no plugins in /usr/lib/cni")
	}
	for _, e := range plugins {
		if err := t.AddHardLink("opt/cni/bin/"+filepath.Base(e.Path), e.Path); err != nil {
			return err
		}
	}
	return nil
}

func layerFile(set string) string {
	return filepath.Join("layers", fileName(set)+".tar")
}

// storeTree writes the node's tree as a directory and others as layers, and
// returns the SHA-256 in hex of the tree as a tar stream.
func storeTree(dir, set string, t *tree.Tree) (string, error) {
	sum := sha256.New()
	if set != nodeSet {
		if err := writeTar(filepath.Join(dir, layerFile(set)), t, sum); err != nil {
			return "", err
		}
		return hex.EncodeToString(sum.Sum(nil)), nil
	}
	if err := t.WriteTar(sum); err != nil {
		return "", err
	}
	root := filepath.Join(dir, "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), t.Extract(root)
}
