package tunnel

import (
	"slices"
	"strings"
	"testing"
)

// The agent dials where the server listens, and every file that a program is
// told to read is one that is written.
func TestKonnectivity(t *testing.T) {
	k := Konnectivity{Server: "10.244.0.7", Dir: "/load"}
	if err := k.Validate(); err != nil {
		t.Fatal(err)
	}
	server, agent := k.ServerArgv(), k.AgentArgv()
	for _, want := range [][2]string{
		{"--agent-bind-address=10.244.0.7", "--proxy-server-host=10.244.0.7"},
		{"--agent-port=18132", "--proxy-server-port=18132"},
		{"--uds-name=" + k.Socket(), "--agent-key=/load/konnectivity-end.key"},
	} {
		if !slices.Contains(server, want[0]) || !slices.Contains(agent, want[1]) {
			t.Errorf("no %q in %q or %q in %q", want[0], server, want[1], agent)
		}
	}
	written := map[string]bool{}
	for _, f := range k.Files(Credentials{}) {
		written[f.Path] = true
	}
	for _, arg := range slices.Concat(server, agent) {
		name, path, _ := strings.Cut(arg, "=")
		if (strings.HasSuffix(name, "-cert") || strings.HasSuffix(name, "-key")) && !written[path] {
			t.Errorf("%s reads %s, which nobody writes", name, path)
		}
	}
}

func TestKonnectivityValidate(t *testing.T) {
	for _, k := range []Konnectivity{{Server: "api", Dir: "/load"}, {Server: "10.0.0.1", Dir: "load"}, {Server: "10.0.0.1"}} {
		if k.Validate() == nil {
			t.Errorf("%+v was accepted", k)
		}
	}
}
