package cgroup

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// freezerPoll is how often the state of a freezing group is read; a group of
// a few hundred processes takes some milliseconds.
const freezerPoll = 2 * time.Millisecond

// freezerTimeout is far beyond any freeze that will still succeed.
const freezerTimeout = 10 * time.Second

// Freeze stops every process of the group and of its descendants, or lets
// them go on, and returns when that is so.
func (h Hierarchy) Freeze(path string, frozen bool) error {
	for deadline := time.Now().Add(freezerTimeout); ; time.Sleep(freezerPoll) {
		// A version 1 freezer may stay FREEZING until asked again.
		if err := h.setFrozen(path, frozen); err != nil {
			return fmt.Errorf("freezing control group %s: %w", path, err)
		}
		is, err := h.Frozen(path)
		if err != nil {
			return err
		}
		if is == frozen {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("control group %s did not freeze within %s", path, freezerTimeout)
		}
	}
}

func (h Hierarchy) setFrozen(path string, frozen bool) error {
	if h.Version == 2 {
		value := "0"
		if frozen {
			value = "1"
		}
		return os.WriteFile(filepath.Join(root, path, "cgroup.freeze"), []byte(value), 0)
	}
	value := "THAWED"
	if frozen {
		value = "FROZEN"
	}
	return os.WriteFile(filepath.Join(root, "freezer", path, "freezer.state"), []byte(value), 0)
}

// Frozen tells whether every process of the group stands still.
func (h Hierarchy) Frozen(path string) (bool, error) {
	if h.Version == 2 {
		events, err := os.ReadFile(filepath.Join(root, path, "cgroup.events"))
		if err != nil {
			return false, fmt.Errorf("reading the state of control group %s: %w", path, err)
		}
		return strings.Contains(string(events), "frozen 1"), nil
	}
	state, err := os.ReadFile(filepath.Join(root, "freezer", path, "freezer.state"))
	if err != nil {
		return false, fmt.Errorf("reading the state of control group %s: %w", path, err)
	}
	return strings.TrimSpace(string(state)) == "FROZEN", nil
}
