package probe

import (
	"syscall"
	"testing"
)

func TestReapAll(t *testing.T) {
	pid, err := syscall.ForkExec("/bin/true", []string{"true"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for {
		state, err := processState(itoa(pid))
		if err != nil || state == "Z" {
			break
		}
	}
	reapAll()
	if state, err := processState(itoa(pid)); err == nil {
		t.Errorf("process is still there, in state %s", state)
	}
}
