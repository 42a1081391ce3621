package cni

import (
	"errors"
	"testing"
)

// What container runtimes say of a program that is not in the image, and what
// is another failure.
func TestProgramMissing(t *testing.T) {
	for text, want := range map[string]bool{
		`OCI runtime exec failed: exec failed: unable to start container process: exec: "cilium-envoy": executable file not found in $PATH: unknown`: true,
		"executable file `cilium-envoy` not found in $PATH: No such file or directory: OCI runtime attempted to invoke a command that was not found": true,
		`pods "cilium-x" is forbidden: User "u" cannot create resource "pods/exec"`:                                                                  false,
		`"cilium-envoy --version": exit status 1`: false,
	} {
		if got := programMissing(errors.New(text)); got != want {
			t.Errorf("%t: %s", got, text)
		}
	}
	if programMissing(nil) {
		t.Error("a success is a failure")
	}
}
