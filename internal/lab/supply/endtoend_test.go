package supply

import (
	"debug/elf"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// suppliedKit supplies a whole kit: minutes and gigabytes when the cache
// (CNIBENCH_CACHE, else the user's) is empty.
func suppliedKit(t *testing.T) Kit {
	t.Helper()
	if testing.Short() {
		t.Skip("builds Kubernetes")
	}
	dir, err := DefaultDir()
	if err != nil {
		t.Fatal(err)
	}
	kit, err := Ensure(t.Context(), dir, func(p Progress) { t.Log(p) })
	if err != nil {
		t.Fatal(err)
	}
	return kit
}

func TestEnsure(t *testing.T) {
	kit := suppliedKit(t)
	paths := []string{
		kit.KubernetesRoot, kit.NodeProgram, kit.ProbeProgram, filepath.Join(kit.Charts["kube-flannel"], "Chart.yaml"),
		filepath.Join(kit.NodeRoot, "opt/cni/bin/bridge"),
	}
	for _, image := range kit.Images {
		paths = append(paths, image.Archive)
	}
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	if missing, err := Ready(kit.Dir); err != nil || len(missing) > 0 {
		t.Errorf("after Ensure, Ready says %v, %v", missing, err)
	}
}

// TestKubernetesKnowsItsVersion asks the real programs through their links.
func TestKubernetesKnowsItsVersion(t *testing.T) {
	kit := suppliedKit(t)
	for _, name := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kube-proxy"} {
		out, err := exec.Command(filepath.Join(filepath.Dir(kit.Kubernetes), name), "--version").Output()
		if want := "Kubernetes " + kit.Versions["kubernetes"] + "\n"; err != nil || string(out) != want {
			t.Errorf("%s says %q, %v; want %q", name, out, err, want)
		}
	}
}

// TestNodeRootIsComplete lets the node's own dynamic loader, in a chroot, find
// the libraries of every program.
func TestNodeRootIsComplete(t *testing.T) {
	kit := suppliedKit(t)
	if os.Geteuid() != 0 {
		t.Skip("chroot needs root")
	}
	programs := 0
	err := filepath.WalkDir(filepath.Join(kit.NodeRoot, "usr"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		loader := interpreter(path)
		if loader == "" {
			return nil
		}
		programs++
		program := strings.TrimPrefix(path, kit.NodeRoot)
		if out, err := exec.Command("chroot", kit.NodeRoot, loader, "--list", program).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", program, err, out)
		}
		return nil
	})
	if err != nil || programs < 50 {
		t.Errorf("looked at %d programs, %v", programs, err)
	}
}

// interpreter is an ELF program's loader; empty for anything else.
func interpreter(path string) string {
	f, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // only read from
	for _, prog := range f.Progs {
		if prog.Type == elf.PT_INTERP {
			text, err := io.ReadAll(prog.Open())
			if err != nil {
				return ""
			}
			return strings.TrimRight(string(text), "\x00")
		}
	}
	return ""
}
