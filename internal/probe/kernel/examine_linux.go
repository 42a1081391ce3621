package kernel

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Examine looks at the kernel, and at the network namespace, that it runs in.
// What cannot be found out is unknown in the report, with the reason.
func Examine(spec Spec) (Report, error) {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return Report{}, fmt.Errorf("asking for the kernel's release: %w", err)
	}
	r := Report{Release: unix.ByteSliceToString(name.Release[:]), BootID: BootID(), Uplink: examineUplink(spec)}
	symbols := AllSymbols(spec)
	r.Config = ReadConfig(r.Release, symbols)
	r.Modules = readModules(r.Release, spec.Modules, symbols)
	settle(r.Modules, r.Config.Values)
	var err error
	if r.Taken, err = takenPorts(spec.Ports); err != nil {
		r.PortsUnknown = err.Error()
	}
	if len(spec.Features) > 0 {
		r.Features = amend(try(spec.Features), r.Modules)
	}
	return r, nil
}

// BootID names the running kernel until the next boot. It is empty if /proc
// does not tell.
func BootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// hostRoot is where a pod that looks at its node has the node's files.
const hostRoot = "/host"

// ReadConfig finds the configuration of a kernel on this machine and cuts it to
// some symbols.
func ReadConfig(release string, symbols []string) Config {
	source, values, err := findConfig(release)
	if err != nil {
		return Config{Unknown: err.Error()}
	}
	return Config{Source: source, Values: pick(values, symbols)}
}

// FindConfig finds the configuration of a kernel on this machine, as
// [ParseConfig] returns it.
func FindConfig(release string) (map[string]string, error) {
	_, values, err := findConfig(release)
	return values, err
}

func findConfig(release string) (source string, values map[string]string, err error) {
	files := []string{"/proc/config.gz"}
	for _, root := range []string{"", hostRoot} {
		files = append(files, root+"/boot/config-"+release, root+"/lib/modules/"+release+"/config", root+"/usr/lib/modules/"+release+"/config")
	}
	for _, file := range files {
		text, err := readConfigFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			values, err = ParseConfig(text)
		}
		if err != nil {
			return "", nil, fmt.Errorf("reading %s: %w", file, err)
		}
		return file, values, nil
	}
	return "", nil, errors.New("none of " + strings.Join(files[:3], ", ") + " is there")
}

func readConfigFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it was only read
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return "", err
		}
	}
	b, err := io.ReadAll(io.LimitReader(r, 16<<20))
	return string(b), err
}

// readModules tells where modules are: those asked for, and those that the
// symbols would make.
func readModules(release string, names, symbols []string) map[string]Module {
	for _, s := range symbols {
		names = append(slices.Clip(names), ModuleOf(s))
	}
	dir := filepath.Join("/lib/modules", release)
	if _, err := os.Stat(dir); err != nil {
		dir = filepath.Join(hostRoot, "usr/lib/modules", release)
		if _, err := os.Stat(dir); err != nil {
			dir = filepath.Join(hostRoot, "lib/modules", release)
		}
	}
	builtin, errBuiltin := os.ReadFile(filepath.Join(dir, "modules.builtin"))
	available, errAvailable := os.ReadFile(filepath.Join(dir, "modules.dep"))
	inKernel, onDisk, loaded := ParseModuleList(string(builtin)), ParseModuleList(string(available)), loadedModules()
	places := map[string]Module{}
	for _, name := range names {
		name = ModuleName(name)
		_, err := os.Stat("/sys/module/" + name)
		switch {
		case loaded[name]:
			places[name] = Loaded
		case inKernel[name], err == nil:
			places[name] = BuiltIn
		case onDisk[name]:
			places[name] = Available
		case errBuiltin == nil && errAvailable == nil:
			places[name] = Elsewhere
		default:
			places[name] = ModuleUnknown
		}
	}
	return places
}

// takenPorts lists those ports of this network namespace that are in use.
func takenPorts(ports []string) ([]string, error) {
	used := map[string]bool{}
	for _, table := range []string{"udp", "udp6", "tcp", "tcp6"} {
		b, err := os.ReadFile("/proc/thread-self/net/" + table)
		if errors.Is(err, fs.ErrNotExist) && strings.HasSuffix(table, "6") {
			continue // a kernel without IPv6
		}
		if err != nil {
			return nil, fmt.Errorf("looking for ports in use: %w", err)
		}
		if err := parseSockets(string(b), strings.TrimSuffix(table, "6"), used); err != nil {
			return nil, fmt.Errorf("looking for ports in use: /proc/net/%s: %w", table, err)
		}
	}
	taken := []string{}
	for _, p := range ports {
		if used[p] {
			taken = append(taken, p)
		}
	}
	return taken, nil
}
