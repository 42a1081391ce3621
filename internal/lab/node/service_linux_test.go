package node

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// Whatever ends is collected, whoever its parent meant to be, and what still
// runs is not waited for.
func TestReap(t *testing.T) {
	want := map[int]string{
		startChild(t, "exit 3"):        "exit status 3",
		startChild(t, "exit 0"):        "exit status 0",
		startChild(t, "kill -TERM $$"): "killed by terminated",
	}
	sleeper := startChild(t, "exec sleep 600")
	got := map[int]string{}
	for len(got) < len(want) {
		for pid, status := range reap() {
			got[pid] = describe(status)
		}
		time.Sleep(time.Millisecond)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("children that ended (-want +got):\n%s", diff)
	}
	if err := unix.Kill(sleeper, unix.SIGKILL); err != nil {
		t.Error("the child that runs was collected too: ", err)
	}
	for len(reap()) == 0 {
		time.Sleep(time.Millisecond)
	}
	if ended := reap(); len(ended) > 0 {
		t.Errorf("without children, it collects %v", ended)
	}
}

func startChild(t *testing.T, script string) int {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here: ", err)
	}
	p, err := os.StartProcess(sh, []string{"sh", "-c", script}, &os.ProcAttr{})
	if err != nil {
		t.Fatal(err)
	}
	pid := p.Pid
	if err := p.Release(); err != nil {
		t.Fatal(err)
	}
	return pid
}

// A service is queued only after everything that it needs answers.
func TestAwaitThenQueue(t *testing.T) {
	needed := listen(t, "tcp", "127.0.0.1:0")
	due := make(chan *running, 1)
	s := &running{Service: Service{Name: "a", After: []string{"tcp:" + needed, "tcp:" + needed}}}
	awaitThenQueue(s, due)
	if got := <-due; got != s {
		t.Errorf("queued %+v", got)
	}

	missing := &running{Service: Service{Name: "b", After: []string{"tcp:" + needed, "unix:" + t.TempDir() + "/s"}}}
	go awaitThenQueue(missing, due)
	select {
	case got := <-due:
		t.Errorf("%s is queued before its socket is there", got.Name)
	case <-time.After(3 * dependencyPoll):
	}
	listen(t, "unix", missing.After[1][len("unix:"):])
	if got := <-due; got != missing {
		t.Errorf("queued %+v", got)
	}
}
