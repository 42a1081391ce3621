package cli

import (
	"io"
	"net/http"
	"os"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// fetch asks until there is a server. The bound is far beyond what one needs
// to start.
func fetch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: fetch URL FILE")
	}
	answer, err := http.Get(args[0])
	for deadline := time.Now().Add(2 * time.Minute); err != nil && time.Now().Before(deadline); answer, err = http.Get(args[0]) {
		time.Sleep(20 * time.Millisecond)
	}
	ts.Check(err)
	defer func() { _ = answer.Body.Close() }() // only read from
	body, err := io.ReadAll(answer.Body)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), body, 0o644))
}
