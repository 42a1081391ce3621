//go:build unix

package serve

import (
	"testing"

	"golang.org/x/sys/unix"
)

func makePipe(t *testing.T, file string) {
	t.Helper()
	if err := unix.Mkfifo(file, 0o644); err != nil {
		t.Fatal(err)
	}
}
