package lab

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ownState gives the test labs of its own, of which there are none.
func ownState(t *testing.T) {
	t.Helper()
	t.Setenv("CNIBENCH_STATE", t.TempDir())
}

// recordLab writes a lab's record as Up does, with nothing behind it.
func recordLab(t *testing.T, r record) {
	t.Helper()
	if err := os.MkdirAll(labDir(r.Config.Name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := r.write(); err != nil {
		t.Fatal(err)
	}
}

func TestRecord(t *testing.T) {
	ownState(t)
	if names, err := recordedNames(); err != nil || len(names) > 0 {
		t.Errorf("without a directory there are the labs %v, %v", names, err)
	}
	self, err := Self()
	if err != nil {
		t.Fatal(err)
	}
	want := record{
		Config: Defaults("b"), Maker: self, Supervisor: &self, Nodes: map[string]int{"node1": 7}, Port: 1234,
		Versions: map[string]string{"kubernetes": "v1"}, Images: map[string]string{"pause": "sha256:0"}, Kubernetes: "/cache/kubernetes",
	}
	recordLab(t, want)
	recordLab(t, record{Config: Defaults("a")})
	got, err := readRecord("b")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the record changed on its way (-written +read):\n%s", diff)
	}
	// The scratch lab and stray files are no labs.
	if err := os.MkdirAll(labDir(storeName), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(labsDir(), "note"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if names, err := recordedNames(); err != nil || cmp.Diff([]string{"a", "b"}, names) != "" {
		t.Errorf("recorded are %v, %v; want a and b", names, err)
	}
}

func TestRecordThatCannotBeRead(t *testing.T) {
	ownState(t)
	if _, err := readRecord("a"); !errors.Is(err, ErrNotFound) {
		t.Errorf("error %v, want ErrNotFound", err)
	}
	if err := Down("a"); !errors.Is(err, ErrNotFound) {
		t.Errorf("down: error %v, want ErrNotFound", err)
	}
	recordLab(t, record{Config: Defaults("a")})
	if err := os.WriteFile(filepath.Join(labDir("a"), "lab.json"), []byte(`{"config": {`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readRecord("a"); err == nil || errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "lab a") {
		t.Errorf("error %v, want one that names the lab and is not ErrNotFound", err)
	}
}

// A lab is abandoned when its supervisor or its owner is gone, or its maker
// before there was a supervisor.
func TestAbandoned(t *testing.T) {
	alive, err := Self()
	if err != nil {
		t.Fatal(err)
	}
	gone := alive
	gone.Start++ // another process had the pid
	for _, tt := range []struct {
		name string
		r    record
		want bool
	}{
		{"running, its maker is done", record{Maker: gone, Supervisor: &alive}, false},
		{"supervisor killed", record{Maker: alive, Supervisor: &gone}, true},
		{"being made", record{Maker: alive}, false},
		{"maker killed", record{Maker: gone}, true},
		{"owner runs", record{Maker: alive, Supervisor: &alive, Config: Config{Owner: &alive}}, false},
		{"owner killed", record{Maker: alive, Supervisor: &alive, Config: Config{Owner: &gone}}, true},
		{"owner killed while it was made", record{Maker: gone, Config: Config{Owner: &gone}}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := abandoned(tt.r); got != tt.want {
				t.Errorf("abandoned: %t", got)
			}
		})
	}
}
