package probe

import (
	"os"
	"path/filepath"
	"testing"
)

// Only hardware is believed: a veth's driver says 10 Gbit/s too.
func TestLineSpeed(t *testing.T) {
	sys := t.TempDir()
	for name, speed := range map[string]string{"card": "25000\n", "unknown": "-1\n", "odd": "fast\n", "veth": "10000\n", "down": ""} {
		dir := filepath.Join(sys, name)
		if name != "veth" {
			dir = filepath.Join(dir, "device")
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if speed == "" {
			continue // reading it is an error while the link is down
		}
		if err := os.WriteFile(filepath.Join(sys, name, "speed"), []byte(speed), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]int{"card": 25000, "unknown": 0, "odd": 0, "veth": 0, "down": 0, "missing": 0} {
		if got := lineSpeed(sys, name); got != want {
			t.Errorf("%s: %d Mbit/s, want %d", name, got, want)
		}
	}
}
