package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// CongestionControl is the TCP algorithm of every node and pod: the kernel's
// own default, pinned because a machine's other default would decide the
// figures more than the network plugin does.
const CongestionControl = "cubic"

// allowedCC is the only parameter of the machine itself that labs change: a
// namespace that is not the root one may only use an allowed algorithm.
const allowedCC = "net.ipv4.tcp_allowed_congestion_control"

func sysctlFile(name string) string {
	return filepath.Join("/proc/sys", strings.ReplaceAll(name, ".", "/"))
}

// savedSysctls is the file with the machine's own values while labs exist.
func savedSysctls() string { return filepath.Join(stateDir(), "machine-sysctls.json") }

// claimMachine allows the pinned congestion control on the machine and notes
// what was set before. The caller holds the lock.
func claimMachine() error {
	b, err := os.ReadFile(sysctlFile(allowedCC))
	if err != nil {
		return fmt.Errorf("reading %s: %w", allowedCC, err)
	}
	value := strings.TrimSpace(string(b))
	if slices.Contains(strings.Fields(value), CongestionControl) {
		return nil
	}
	saved, err := json.Marshal(map[string]string{allowedCC: value})
	if err != nil {
		return err
	}
	if err := os.WriteFile(savedSysctls(), saved, 0o600); err != nil {
		return fmt.Errorf("noting the machine's settings: %w", err)
	}
	if err := os.WriteFile(sysctlFile(allowedCC), []byte(value+" "+CongestionControl), 0); err != nil {
		return fmt.Errorf("allowing %s on this machine: %w", CongestionControl, err)
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
	b, err := os.ReadFile(savedSysctls())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("restoring the machine's settings: %w", err)
	}
	saved := map[string]string{}
	if err := json.Unmarshal(b, &saved); err != nil {
		return fmt.Errorf("restoring the machine's settings from %s: %w", savedSysctls(), err)
	}
	for name, value := range saved {
		if err := os.WriteFile(sysctlFile(name), []byte(value), 0); err != nil {
			return fmt.Errorf("restoring %s: %w", name, err)
		}
	}
	return os.Remove(savedSysctls())
}

// nodeSysctls are set in every node's network namespace.
func nodeSysctls() map[string]string {
	return map[string]string{
		"net.ipv4.ip_forward":             "1",
		"net.ipv4.tcp_congestion_control": CongestionControl,
	}
}

// PodSysctls must be set in every pod that carries load: a new network
// namespace inherits the machine's congestion control, not its node's.
func PodSysctls() map[string]string {
	return map[string]string{"net.ipv4.tcp_congestion_control": CongestionControl}
}
