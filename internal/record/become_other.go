//go:build !linux

package record

import "errors"

// Become fails: there is nothing to sample but Linux.
func Become([]byte, string) error { return errors.New("recording needs Linux") }
