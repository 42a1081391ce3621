package node

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestContainerFile(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"create", []string{"--root", "/run/x", "--log", "l", "create", "--bundle", "/b", "--pid-file", "p", "id"}, "/b/config.json"},
		{"run in the working directory", []string{"run", "id"}, "config.json"},
		{"exec", []string{"exec", "--process", "/tmp/p.json", "--detach", "id"}, "/tmp/p.json"},
		{"exec, one word", []string{"exec", "--process=/tmp/p.json", "id"}, "/tmp/p.json"},
		{"state", []string{"state", "id"}, ""},
		{"delete", []string{"delete", "--force", "id"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := containerFile(tt.args); got != tt.want {
				t.Errorf("the file is %q, want %q", got, tt.want)
			}
		})
	}
}

// TestLimitCapabilities: what is held, and what nobody knows, stays; so does
// the rest of the configuration.
func TestLimitCapabilities(t *testing.T) {
	held := map[string]bool{"CAP_KILL": true, "CAP_SYS_RESOURCE": false}
	const sets = `{"bounding":["CAP_KILL","CAP_SYS_RESOURCE","CAP_FUTURE"],"ambient":[]}`
	const limited = `{"bounding":["CAP_KILL","CAP_FUTURE"],"ambient":[]}`
	for name, tt := range map[string]struct{ before, after string }{
		"container":               {`{"ociVersion":"1","process":{"args":["a"],"capabilities":` + sets + `}}`, `{"ociVersion":"1","process":{"args":["a"],"capabilities":` + limited + `}}`},
		"process":                 {`{"args":["a"],"capabilities":` + sets + `}`, `{"args":["a"],"capabilities":` + limited + `}`},
		"process without any set": {`{"args":["a"]}`, `{"args":["a"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "config.json")
			if err := os.WriteFile(file, []byte(tt.before), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := limitCapabilities(file, held); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var got, want any
			if json.Unmarshal(data, &got) != nil || json.Unmarshal([]byte(tt.after), &want) != nil {
				t.Fatalf("not JSON: %s", data)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
