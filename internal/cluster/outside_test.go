package cluster

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// The user's command runs what is appended to it, word by word, with its
// streams and its status.
func TestRunOutside(t *testing.T) {
	m := &existingMachines{options: Options{Outside: OutsideHost{Address: "192.0.2.7", Command: "env WHERE=there"}}}
	host, ok := m.Outside()
	if !ok || host.Address != "192.0.2.7" {
		t.Fatalf("the host outside: %+v, %t", host, ok)
	}
	var out, failed bytes.Buffer
	argv := []string{"sh", "-c", `read -r line; echo "$WHERE $line $1"; echo wrong >&2; exit 3`, "sh", "two  words"}
	err := m.RunOnNode(t.Context(), host.Name, argv, strings.NewReader("in\n"), &out, &failed)
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Code != 3 {
		t.Errorf("error %v, want status 3", err)
	}
	if out.String() != "there in two  words\n" || failed.String() != "wrong\n" {
		t.Errorf("it wrote %q and %q", out.String(), failed.String())
	}
	if _, ok := (&existingMachines{}).Outside(); ok {
		t.Error("there is a host that nobody named")
	}
}
