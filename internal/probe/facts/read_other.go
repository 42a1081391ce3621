//go:build !linux

package facts

// ReadHere reads nothing: nodes run Linux.
func ReadHere() (bootID string, kernel Facts) { return "", New() }
