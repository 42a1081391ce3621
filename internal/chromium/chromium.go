// Package chromium drives a headless Chromium by its DevTools protocol over a
// pipe, for tests that must know what a browser makes of a page. Only tests
// import it.
package chromium

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// patience is how long a browser may take for one answer.
const patience = 3 * time.Minute

// Browser is one running Chromium with a profile of its own.
type Browser struct {
	t       testing.TB
	write   *os.File
	mu      sync.Mutex
	last    int
	waiting map[int]chan message
	events  func(message)
	gone    chan struct{} // closed when nothing more can be read
}

// message is a command, its answer, or an event.
type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// Start runs Chromium until the test ends. A machine without it fails the
// test, with what to install.
func Start(t testing.TB) *Browser {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Fatal("there is no Chromium here: install the Debian package chromium, as `make test-tools` does")
	}
	theirRead, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read, theirWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	profile := t.TempDir()
	// No sandbox, because tests may be root; what is opened are our own pages.
	cmd := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--user-data-dir="+profile)
	cmd.ExtraFiles = []*os.File{theirRead, theirWrite} // Chromium reads from 3 and writes to 4
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	b := &Browser{t: t, write: write, waiting: map[int]chan message{}, gone: make(chan struct{})}
	if err := errors.Join(theirRead.Close(), theirWrite.Close()); err != nil {
		t.Fatal(err)
	}
	go b.listen(read)
	t.Cleanup(func() { b.end(cmd) })
	return b
}

// end asks Chromium to go and waits for it, so that its profile can be removed.
func (b *Browser) end(cmd *exec.Cmd) {
	_ = b.send(message{ID: -1, Method: "Browser.close"}) // it may be gone already
	timer := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	_ = cmd.Wait() // how it ends says nothing of the page
	_ = b.write.Close()
}

func (b *Browser) listen(read *os.File) {
	defer close(b.gone)
	reader := bufio.NewReaderSize(read, 1<<20)
	for {
		data, err := reader.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(data[:len(data)-1], &m) != nil {
			return
		}
		b.mu.Lock()
		answer, events := b.waiting[m.ID], b.events
		delete(b.waiting, m.ID)
		b.mu.Unlock()
		switch {
		case answer != nil:
			answer <- m
		case m.Method != "" && events != nil:
			events(m)
		}
	}
}

func (b *Browser) send(m message) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = b.write.Write(append(data, 0))
	return err
}

// call executes one command of the protocol and reads its answer into result,
// which may be nil.
func (b *Browser) call(session, method string, params map[string]any, result any) {
	b.t.Helper()
	data, err := json.Marshal(params)
	if err != nil {
		b.t.Fatal(err)
	}
	answer := make(chan message, 1)
	b.mu.Lock()
	b.last++
	id := b.last
	b.waiting[id] = answer
	b.mu.Unlock()
	if err := b.send(message{ID: id, Session: session, Method: method, Params: data}); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	select {
	case m := <-answer:
		if m.Error != nil {
			b.t.Fatalf("%s: %s", method, m.Error.Message)
		}
		if result != nil {
			if err := json.Unmarshal(m.Result, result); err != nil {
				b.t.Fatalf("%s: %v", method, err)
			}
		}
	case <-b.gone:
		b.t.Fatalf("%s: Chromium has ended", method)
	case <-time.After(patience):
		b.t.Fatalf("%s: no answer within %v", method, patience)
	}
}

// problem is what a page did that it must not.
func problem(m message, allowed string) string {
	var p struct {
		Request struct{ URL string }
		Entry   struct{ Level, Text, URL string }
		Type    string
		Args    []struct{ Value, Description any }
		Details struct {
			Text      string
			Exception struct{ Description string }
		} `json:"exceptionDetails"`
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		return fmt.Sprintf("an event that cannot be read: %v", err)
	}
	switch m.Method {
	case "Network.requestWillBeSent":
		if p.Request.URL != allowed {
			return "request for " + p.Request.URL
		}
	case "Log.entryAdded":
		if p.Entry.Level == "error" || p.Entry.Level == "warning" {
			return fmt.Sprintf("%s: %s %s", p.Entry.Level, p.Entry.Text, p.Entry.URL)
		}
	case "Runtime.consoleAPICalled":
		if p.Type == "error" || p.Type == "warning" {
			return fmt.Sprintf("console.%s: %v", p.Type, p.Args)
		}
	case "Runtime.exceptionThrown":
		return fmt.Sprintf("exception: %s %s", p.Details.Text, p.Details.Exception.Description)
	}
	return ""
}
