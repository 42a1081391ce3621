//go:build !linux

package serve

// LowPriority does nothing where no lab can run.
func LowPriority() error { return nil }
