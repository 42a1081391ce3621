//go:build !linux

package examination

import (
	"context"
	"errors"

	"github.com/cnibench/cnibench/internal/doctor"
)

// watchHere needs Linux.
func watchHere(context.Context) (doctor.Idle, error) {
	return doctor.Idle{}, errors.New("only Linux is sampled")
}
