//go:build !linux

package kernel

import "errors"

// Examine needs Linux.
func Examine(Spec) (Report, error) { return Report{}, errors.New("kernels are examined on Linux only") }

// ReadConfig needs Linux.
func ReadConfig(string, []string) Config { return Config{Unknown: "this is no Linux"} }

// BootID needs Linux.
func BootID() string { return "" }
