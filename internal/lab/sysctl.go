package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// CongestionControl is the TCP algorithm of every node and pod: the kernel's
// own default, pinned because a machine's other default would decide the
// figures more than the network plugin does.
const CongestionControl = "cubic"

// setting is a parameter of the machine itself that labs may have to change.
type setting struct {
	name string
	// need gives the value that labs can work with; the same if value is one.
	need func(value string) string
}

// machineSettings are all that labs change of the machine. A namespace that is
// not the root one may only use an allowed congestion control. Inotify
// instances and watches are counted for all of root's processes together, and
// every containerd, kubelet and agent takes some: with the kernel's 128, the
// fifth lab or so does not start. The values are those that kind's users are
// advised to set, and more (https://kind.sigs.k8s.io/docs/user/known-issues).
func machineSettings() []setting {
	return []setting{
		{"net.ipv4.tcp_allowed_congestion_control", func(value string) string {
			if slices.Contains(strings.Fields(value), CongestionControl) {
				return value
			}
			return value + " " + CongestionControl
		}},
		{"fs.inotify.max_user_instances", atLeast(8192)},
		{"fs.inotify.max_user_watches", atLeast(524288)},
	}
}

func atLeast(n int) func(string) string {
	return func(value string) string {
		if have, err := strconv.Atoi(value); err == nil && have < n {
			return strconv.Itoa(n)
		}
		return value
	}
}

func sysctlFile(name string) string {
	return filepath.Join("/proc/sys", strings.ReplaceAll(name, ".", "/"))
}

// savedSysctls is the file with the machine's own values while labs exist.
func savedSysctls() string { return filepath.Join(stateDir(), "machine-sysctls.json") }

// claimMachine changes what must be changed of the machine, and notes what it
// was before. The caller holds the lock.
func claimMachine() error {
	saved, err := readSaved()
	if err != nil {
		return err
	}
	for _, s := range machineSettings() {
		b, err := os.ReadFile(sysctlFile(s.name))
		if err != nil {
			return fmt.Errorf("reading %s: %w", s.name, err)
		}
		value := strings.TrimSpace(string(b))
		needed := s.need(value)
		if needed == value {
			continue
		}
		// Between two labs somebody may have changed it back; the machine's own
		// value is the first one.
		if _, noted := saved[s.name]; !noted {
			saved[s.name] = value
		}
		if err := writeSaved(saved); err != nil {
			return err
		}
		if err := os.WriteFile(sysctlFile(s.name), []byte(needed), 0); err != nil {
			return fmt.Errorf("setting %s to %s on this machine: %w", s.name, needed, err)
		}
	}
	return nil
}

// readSaved reads the machine's own values; there are none before the first
// lab.
func readSaved() (map[string]string, error) {
	saved := map[string]string{}
	b, err := os.ReadFile(savedSysctls())
	if errors.Is(err, fs.ErrNotExist) {
		return saved, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the machine's settings: %w", err)
	}
	if err := json.Unmarshal(b, &saved); err != nil {
		return nil, fmt.Errorf("reading the machine's settings from %s: %w", savedSysctls(), err)
	}
	return saved, nil
}

func writeSaved(saved map[string]string) error {
	b, err := json.Marshal(saved)
	if err != nil {
		return err
	}
	if err := os.WriteFile(savedSysctls(), b, 0o600); err != nil {
		return fmt.Errorf("noting the machine's settings: %w", err)
	}
	return nil
}

// releaseMachine puts the machine's own values back once no lab is left. The
// caller holds the lock.
func releaseMachine() error {
	names, err := recordedNames()
	if err != nil || len(names) > 0 {
		return err
	}
	saved, err := readSaved()
	if err != nil || len(saved) == 0 {
		return err
	}
	for name, value := range saved {
		if err := os.WriteFile(sysctlFile(name), []byte(value), 0); err != nil {
			return fmt.Errorf("restoring %s: %w", name, err)
		}
	}
	return os.Remove(savedSysctls())
}

// nodeSysctls are set in every node's network namespace.
func nodeSysctls(n network) map[string]string {
	all := map[string]string{
		"net.ipv4.ip_forward":             "1",
		"net.ipv4.tcp_congestion_control": CongestionControl,
	}
	if slices.Contains(n.families(), IPv6) {
		all["net.ipv6.conf.all.disable_ipv6"], all["net.ipv6.conf.default.disable_ipv6"] = "0", "0"
		all["net.ipv6.conf.all.forwarding"] = "1"
	}
	return all
}

// PodSysctls must be set in every pod that carries load: a new network
// namespace inherits the machine's congestion control, not its node's.
func PodSysctls() map[string]string {
	return map[string]string{"net.ipv4.tcp_congestion_control": CongestionControl}
}
