// Package program holds cnibench-call, built, as it is copied into load pods.
package program

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
)

//go:embed all:built
var built embed.FS

// Name is the program's.
const Name = "cnibench-call"

// Read returns the program, a static one for Linux, whole.
func Read() ([]byte, error) {
	data, err := built.ReadFile("built/" + Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("this cnibench was built without cnibench-call: build it with make build")
	}
	if err != nil {
		return nil, fmt.Errorf("reading the embedded program: %w", err)
	}
	return data, nil
}
