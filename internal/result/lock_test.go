//go:build unix

package result

import (
	"os"
	"testing"
	"testing/fstest"
	"time"
)

func TestWritingFollowsTheWriter(t *testing.T) {
	w := create(t)
	wantWriting := func(want bool) {
		t.Helper()
		for _, open := range []func() (*Dir, error){
			func() (*Dir, error) { return Open(w.Path()) },
			func() (*Dir, error) { return OpenFS(w.Path(), os.DirFS(w.Path())) },
		} {
			d, err := open()
			if err != nil {
				t.Fatal(err)
			}
			if got, err := d.Writing(); err != nil || got != want {
				t.Errorf("writing: got %t, %v, want %t", got, err, want)
			}
		}
	}
	wantWriting(true)
	if err := w.Append(throughputTrial(1, "host", 1)); err != nil {
		t.Errorf("asking has disturbed the writer: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	wantWriting(false)
	again, _, err := Resume(w.Path())
	if err != nil {
		t.Fatalf("asking has kept the lock: %v", err)
	}
	wantWriting(true)
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

// Whoever asks again and again keeps nobody from writing.
func TestAskingRefusesNoWriter(t *testing.T) {
	w := create(t)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				_, _ = w.Writing() // what it says depends on the moment
			}
		}
	}()
	for range 20 {
		again, _, err := Resume(w.Path())
		if err != nil {
			t.Errorf("a writer was refused: %v", err)
			break
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	<-stopped
}

// What a Dir reads it reads from the files it was given.
func TestOpenFSReadsNothingElse(t *testing.T) {
	w := create(t)
	if err := w.Append(throughputTrial(1, "host", 1)); err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for _, name := range []string{PlanFile, JournalFile} {
		data, err := os.ReadFile(w.file(name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: data}
	}
	d, err := OpenFS("/no/such/directory", files)
	if err != nil {
		t.Fatal(err)
	}
	j, err := d.Journal()
	if err != nil || len(j.Trials) != 1 {
		t.Errorf("journal: %d trials, %v", len(j.Trials), err)
	}
	if _, err := d.Plan(); err != nil {
		t.Error(err)
	}
	if _, err := d.Environment(); err == nil {
		t.Error("an environment came from somewhere")
	}
	trial := j.Trials[0]
	trial.Raw = "../../etc"
	if _, err := d.Metrics(trial, "throughput"); err == nil {
		t.Error("evidence outside of the directory was opened")
	}
	if _, err := d.Evidence(trial, "passwd"); err == nil {
		t.Error("evidence outside of the directory was read")
	}
}
