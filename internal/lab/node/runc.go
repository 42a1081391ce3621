//go:build linux

package node

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

const runc = "/usr/sbin/runc"

// Runc runs runc after taking from the container's configuration those
// capabilities that the machine itself does not have. runc would fail on them
// (capset(2)), and charts ask for fixed lists of them.
func Runc(args []string) error {
	held, err := heldCapabilities()
	if err != nil {
		return err
	}
	if file := containerFile(args[1:]); file != "" {
		if err := limitCapabilities(file, held); err != nil {
			return fmt.Errorf("taking capabilities from %s: %w", file, err)
		}
	}
	return fmt.Errorf("running %s: %w", runc, unix.Exec(runc, args, os.Environ()))
}

// containerFile finds the file in a runc command line that has the
// capabilities of a new process; "" if the command starts none.
func containerFile(args []string) string {
	value := func(names ...string) string {
		for i, arg := range args {
			name, inline, ok := strings.Cut(arg, "=")
			if !slices.Contains(names, name) {
				continue
			}
			if ok {
				return inline
			}
			if i+1 < len(args) {
				return args[i+1]
			}
		}
		return ""
	}
	switch {
	case slices.Contains(args, "exec"):
		return value("--process", "-p")
	case slices.Contains(args, "create"), slices.Contains(args, "run"):
		return filepath.Join(value("--bundle", "-b"), "config.json")
	}
	return ""
}

// capabilities lists the kernel's names in the order of their numbers
// (include/uapi/linux/capability.h).
var capabilities = strings.Fields(`CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP
	LINUX_IMMUTABLE NET_BIND_SERVICE NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT
	SYS_PTRACE SYS_PACCT SYS_ADMIN SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE
	AUDIT_CONTROL SETFCAP MAC_OVERRIDE MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF
	CHECKPOINT_RESTORE`)

// heldCapabilities are those that the process may still get.
func heldCapabilities() (map[string]bool, error) {
	held := map[string]bool{}
	for number, name := range capabilities {
		have, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, uintptr(number), 0, 0, 0)
		if err == unix.EINVAL {
			continue // newer than the kernel
		}
		if err != nil {
			return nil, fmt.Errorf("reading capabilities: %w", err)
		}
		held["CAP_"+name] = have == 1
	}
	return held, nil
}

// LacksCapabilities tells whether the machine withholds capabilities that its
// kernel has from the calling process.
func LacksCapabilities() (bool, error) {
	held, err := heldCapabilities()
	for _, have := range held {
		if !have {
			return true, err
		}
	}
	return false, err
}

// limitCapabilities rewrites a container's configuration (OCI runtime
// specification, config.json, or its process alone).
func limitCapabilities(file string, held map[string]bool) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var config map[string]any
	if err := json.Unmarshal(data, &config); err != nil {
		return err
	}
	process, ok := config["process"].(map[string]any)
	if !ok {
		process = config
	}
	sets, _ := process["capabilities"].(map[string]any)
	for name, set := range sets {
		list, _ := set.([]any)
		sets[name] = slices.DeleteFunc(list, func(c any) bool {
			name, _ := c.(string)
			have, known := held[name]
			return known && !have
		})
	}
	if data, err = json.Marshal(config); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o600)
}
