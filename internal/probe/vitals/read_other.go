//go:build !linux

package vitals

import (
	"context"
	"runtime"
	"time"
)

// Read knows nothing of machines that do not run Linux.
func Read(context.Context, Spec) Report {
	r := Report{At: time.Now().UTC(), Missing: map[string]string{}}
	for _, part := range []string{PartLink, PartClock, PartConntrack, PartLog, PartDisks, PartRules} {
		r.Missing[part] = "this is " + runtime.GOOS + ", not Linux"
	}
	return r
}
