package recording

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/probe/rendezvous"
)

// record runs a plan and reads what was recorded.
func record(t *testing.T, p Plan) (Result, Recording) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "recording")
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if err := WritePlan(file, p); err != nil {
		t.Fatal(err)
	}
	result, err := Run(p, file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := Read(strings.NewReader(string(text)))
	if err != nil || rec.Cut {
		t.Fatalf("%v, cut %t\n%s", err, rec.Cut, text)
	}
	return result, rec
}

// freeAddress is an address that nobody listens on right now.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// awaitFile returns once there is a file: a command tells so that it is ready.
func awaitFile(name string) {
	for {
		if _, err := os.Stat(name); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func shell(script string) Plan { return planOf("/bin/sh", "-c", script) }

func TestRun(t *testing.T) {
	p := shell("exit 3")
	p.Every, p.Before, p.After = 50*time.Millisecond, 200*time.Millisecond, 200*time.Millisecond
	result, rec := record(t, p)
	if result != (Result{Status: 3}) {
		t.Errorf("result %+v", result)
	}
	begin, start, end := rec.Find(Begin), rec.Find(Start), rec.Find(End)
	if begin == nil || start == nil || end == nil || end.Command.Status != 3 || end.Command.MaxRSSBytes == 0 {
		t.Fatalf("events %+v", rec.Events)
	}
	// The clock of the machine that runs the test may be late, never early.
	if before, after := start.Mono-begin.Mono, rec.Series.Samples[len(rec.Series.Samples)-1].Mono-end.Mono; before < p.Before-10*time.Millisecond || after < p.After-10*time.Millisecond {
		t.Errorf("%v before and %v after the command, want %v and %v", before, after, p.Before, p.After)
	}
	at := map[time.Duration]bool{}
	for i, s := range rec.Series.Samples {
		at[s.Mono] = true
		if i > 0 && s.Mono <= rec.Series.Samples[i-1].Mono {
			t.Errorf("sample %d is not later than the one before", i)
		}
		if rec.Took[i] <= 0 {
			t.Errorf("sample %d took %v", i, rec.Took[i])
		}
	}
	if !at[begin.Mono] || !at[start.Mono] || !at[end.Mono] {
		t.Error("an edge of a phase has no sample")
	}
}

func TestExitStatuses(t *testing.T) {
	if result, rec := record(t, shell("kill -TERM $$")); result.Status != 128+int(syscall.SIGTERM) || rec.Find(End).Command.Signal != "SIGTERM" {
		t.Errorf("ended by a signal: %+v", result)
	}
	if result, _ := record(t, shell("true")); result.Status != 0 {
		t.Errorf("nothing wrong: %+v", result)
	}
	script := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(script, []byte("no program"), 0o755); err != nil {
		t.Fatal(err)
	}
	result, rec := record(t, planOf(script))
	if failure := rec.Find(Failure); result.Status != statusNotExecutable || failure == nil || !strings.Contains(failure.Text, "exec format error") {
		t.Errorf("not executable: %+v, %+v", result, failure)
	}
}

// A full disk loses the recording and says so, not the command's status.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("this machine has no /dev/full")
	}
	defer func() { _ = full.Close() }()
	result, err := Run(shell("exit 5"), full)
	if err != nil || result.Status != 5 || !strings.Contains(result.Lost, "no space left on device") {
		t.Errorf("%+v, %v", result, err)
	}
}

// Whoever interrupts the recorder, and not a terminal's foreground, means the
// command, too. The command tells who it is when it is ready.
func TestSignalsArePassedOn(t *testing.T) {
	for signal, want := range map[syscall.Signal]int{syscall.SIGTERM: 17, syscall.SIGUSR1: 18} {
		ready := filepath.Join(t.TempDir(), "ready")
		p := shell("trap 'exit 17' TERM; trap 'exit 18' USR1; : >" + ready + "; while :; do sleep 0.05; done")
		p.After = 24 * time.Hour
		if signal == syscall.SIGUSR1 {
			p.After = 0 // it does not ask for the end
		}
		go func() {
			awaitFile(ready)
			_ = syscall.Kill(os.Getpid(), signal)
		}()
		if result, rec := record(t, p); result.Status != want || rec.Find(End) == nil {
			t.Errorf("%v: %+v", signal, result)
		}
	}
}

func TestInterruptedBefore(t *testing.T) {
	p := shell("exit 1")
	p.Before = 24 * time.Hour
	go func() {
		time.Sleep(50 * time.Millisecond)
		_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
	}()
	result, rec := record(t, p)
	if failure := rec.Find(Failure); result.Status != 143 || failure == nil || rec.Find(Start) != nil || len(rec.Series.Samples) == 0 {
		t.Errorf("%+v, %+v", result, rec.Events)
	}
}

// The server's command is asked to end when the client's has, and that is no
// failure of it.
func TestServerEndsWithClient(t *testing.T) {
	ready := filepath.Join(t.TempDir(), "ready")
	p := shell("trap '' INT; trap 'exit 9' TERM; : >" + ready + "; while :; do sleep 0.05; done")
	address := freeAddress(t)
	p.Sync = &Sync{Role: RoleServer, Address: address, Wait: time.Minute}
	clientErr := make(chan error, 1)
	go func() {
		m, err := rendezvous.Join(t.Context(), address, rendezvous.Config{MadeUp: true, Wait: time.Minute})
		if err == nil {
			defer m.Close()
			awaitFile(ready)
			m.Done()
			for news := range m.News() {
				if news.Done || news.Gone {
					break
				}
			}
		}
		clientErr <- err
	}()
	result, rec := record(t, p)
	if err := <-clientErr; err != nil {
		t.Fatal(err)
	}
	end := rec.Find(End)
	// It was asked by SIGINT, which it ignores, then by SIGTERM.
	if result.Status != 0 || end == nil || !end.Command.Stopped || end.Command.Status != 9 {
		t.Errorf("%+v, %+v", result, rec.Events)
	}
}

func TestOtherEndGone(t *testing.T) {
	p := shell("sleep 3600")
	p.Before = time.Hour
	p.Sync = &Sync{Role: RoleServer, Address: freeAddress(t), Wait: time.Minute}
	go func() {
		m, err := rendezvous.Join(t.Context(), p.Sync.Address, rendezvous.Config{MadeUp: true, Wait: time.Minute})
		if err == nil {
			m.Close()
		}
	}()
	result, rec := record(t, p)
	if failure := rec.Find(Failure); result.Status != 1 || failure == nil || !strings.Contains(failure.Text, "the other end is gone") {
		t.Errorf("%+v, %+v", result, rec.Events)
	}
}
