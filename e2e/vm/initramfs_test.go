//go:build vm

package vm

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
)

//go:embed guest/init.sh
var initScript []byte

//go:embed guest/serve.sh
var serveScript []byte

// bootModules are what the guest needs to reach its root file system.
var bootModules = []string{"virtio_pci", "9pnet_virtio", "9p", "overlay"}

// writeInitramfs writes what the kernel boots into: busybox, the first
// modules, numbered in the order of loading, and the guest's two scripts.
func writeInitramfs(file string, s stock) error {
	dep, err := os.ReadFile(filepath.Join(s.modules(), "modules.dep"))
	if err != nil {
		return fmt.Errorf("reading the index of modules: %w", err)
	}
	order, err := loadOrder(string(dep), bootModules...)
	if err != nil {
		return err
	}
	busybox, err := os.ReadFile(filepath.Join(s.root, "usr/bin/busybox"))
	if err != nil {
		return err
	}
	var files []archiveFile
	for _, dir := range []string{"bin", "dev", "lower", "modules", "proc", "root", "sys", "upper"} {
		files = append(files, archiveFile{dir, modeDir | 0o755, nil})
	}
	files = append(files,
		archiveFile{"bin/busybox", modeFile | 0o755, busybox},
		archiveFile{"init", modeFile | 0o755, initScript},
		archiveFile{"serve.sh", modeFile | 0o755, serveScript})
	for i, m := range order {
		content, err := os.ReadFile(filepath.Join(s.modules(), m))
		if err != nil {
			return err
		}
		files = append(files, archiveFile{fmt.Sprintf("modules/%02d-%s", i, filepath.Base(m)), modeFile | 0o644, content})
	}
	var archive bytes.Buffer
	if err := writeCPIO(&archive, files); err != nil {
		return err
	}
	return os.WriteFile(file, archive.Bytes(), 0o644)
}
