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
	"time"

	"golang.org/x/sys/unix"
)

// stateDir holds everything that labs keep on disk.
func stateDir() string {
	if dir := os.Getenv("CNIBENCH_STATE"); dir != "" {
		return dir
	}
	return "/var/lib/cnibench"
}

func labsDir() string { return filepath.Join(stateDir(), "labs") }

func labDir(name string) string { return filepath.Join(labsDir(), name) }

// cgroupOf is the control group of everything in a lab.
func cgroupOf(name string) string { return cgroupRoot + "/" + name }

const cgroupRoot = "/cnibench"

// record is lab.json: what a later command must know about a lab. It is
// written before anything is started, so that a crash leaves a trace.
type record struct {
	Config     Config            `json:"config"`
	Created    time.Time         `json:"created"`
	Supervisor *Process          `json:"supervisor,omitempty"`
	Nodes      map[string]int    `json:"nodes,omitempty"` // pid 1 of each node, as the machine sees it
	Port       int               `json:"port,omitempty"`  // of the API on the machine's loopback
	Versions   map[string]string `json:"versions,omitempty"`
	Images     map[string]string `json:"images,omitempty"` // digests by name
	Kubernetes string            `json:"kubernetes"`       // the multi-call program
	Maker      Process           `json:"maker"`            // that started the lab
	// PeerSupervisor is that of the lab of the name Config.Peer when they were
	// joined.
	PeerSupervisor *Process `json:"peerSupervisor,omitempty"`
}

func (r record) write() error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("recording lab %s: %w", r.Config.Name, err)
	}
	file := filepath.Join(labDir(r.Config.Name), "lab.json")
	if err := os.WriteFile(file+".new", b, 0o600); err != nil {
		return fmt.Errorf("recording lab %s: %w", r.Config.Name, err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		return fmt.Errorf("recording lab %s: %w", r.Config.Name, err)
	}
	return nil
}

// ErrNotFound says that no lab has the name.
var ErrNotFound = errors.New("no such lab")

func readRecord(name string) (record, error) {
	b, err := os.ReadFile(filepath.Join(labDir(name), "lab.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return record{}, fmt.Errorf("lab %s: %w", name, ErrNotFound)
	}
	if err != nil {
		return record{}, fmt.Errorf("reading lab %s: %w", name, err)
	}
	var r record
	if err := json.Unmarshal(b, &r); err != nil {
		return record{}, fmt.Errorf("reading lab %s: %w", name, err)
	}
	return r, nil
}

// recordedNames lists the labs that left anything on disk, sorted.
func recordedNames() ([]string, error) {
	entries, err := os.ReadDir(labsDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing labs: %w", err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// lockState keeps two commands from changing the set of labs at the same
// time. The returned function lets go.
func lockState() (func(), error) {
	if err := checkSystem(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(stateDir(), 0o700); err != nil {
		return nil, fmt.Errorf("locking labs: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(stateDir(), "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("locking labs: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		_ = f.Close() // nothing was written
		return nil, fmt.Errorf("locking labs: %w", err)
	}
	return func() { _ = f.Close() }, nil // nothing was written
}
