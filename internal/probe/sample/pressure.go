package sample

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/cnibench/cnibench/internal/probe/procfs"
)

// parsePressure parses a file of /proc/pressure (the kernel's
// Documentation/accounting/psi.rst). Its totals are in microseconds.
func parsePressure(data []byte) (Pressure, error) {
	var p Pressure
	found := false
	for len(data) > 0 {
		var line []byte
		line, data = procfs.NextLine(data)
		kind, rest := procfs.NextField(line)
		if len(kind) == 0 {
			continue
		}
		_, total, ok := bytes.Cut(rest, []byte("total="))
		if !ok {
			return Pressure{}, fmt.Errorf("pressure, %s has no total", procfs.Quote(string(kind)))
		}
		total, _ = procfs.NextField(total)
		micros, err := procfs.ParseUint(total)
		if err != nil {
			return Pressure{}, fmt.Errorf("pressure, %s: %w", procfs.Quote(string(kind)), err)
		}
		seconds := float64(micros) / 1e6
		switch {
		case string(kind) == "some":
			p.Some, found = seconds, true
		case string(kind) == "full":
			p.Full = &seconds
		}
	}
	if !found {
		return Pressure{}, errors.New("pressure has no line some")
	}
	return p, nil
}
