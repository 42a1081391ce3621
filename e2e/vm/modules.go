package vm

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// loadOrder returns the files of the named kernel modules and of all that they
// need, each after what it needs, from the text of a modules.dep file
// (modules.dep(5)). A name that is not in it is an error: a stock kernel has
// it as a module.
func loadOrder(dep string, names ...string) ([]string, error) {
	files, needs := map[string]string{}, map[string][]string{}
	for line := range strings.Lines(dep) {
		file, needed, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			continue
		}
		files[moduleName(file)] = file
		needs[file] = strings.Fields(needed)
	}
	var order []string
	for _, name := range names {
		file, ok := files[moduleName(name)]
		if !ok {
			return nil, fmt.Errorf("the kernel has no module %s", name)
		}
		// What a module needs is listed in reverse: the last is loaded first.
		wanted := append([]string{file}, needs[file]...)
		for _, f := range slices.Backward(wanted) {
			if !slices.Contains(order, f) {
				order = append(order, f)
			}
		}
	}
	return order, nil
}

// moduleName is how the kernel calls the module in a file such as
// "kernel/net/9p/9pnet_virtio.ko.xz".
func moduleName(file string) string {
	name, _, _ := strings.Cut(path.Base(file), ".ko")
	return strings.ReplaceAll(name, "-", "_")
}
