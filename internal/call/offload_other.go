//go:build !linux

package call

// segmentation is Linux's.
func segmentation() *bool { return nil }
