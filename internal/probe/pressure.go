package probe

import (
	"bytes"
	"errors"
	"fmt"
)

// parsePressure parses /proc/pressure/cpu (the kernel's
// Documentation/accounting/psi.rst). Its totals are in microseconds.
func parsePressure(data []byte) (*Pressure, error) {
	var p *Pressure
	for len(data) > 0 {
		var line []byte
		line, data = nextLine(data)
		kind, rest := nextField(line)
		if len(kind) == 0 {
			continue
		}
		_, total, ok := bytes.Cut(rest, []byte("total="))
		if !ok {
			return nil, fmt.Errorf("pressure, %s has no total", quote(string(kind)))
		}
		total, _ = nextField(total)
		micros, err := parseUint(total)
		if err != nil {
			return nil, fmt.Errorf("pressure, %s: %w", quote(string(kind)), err)
		}
		seconds := float64(micros) / 1e6
		switch {
		case string(kind) == "some":
			p = &Pressure{Some: seconds}
		case string(kind) == "full" && p != nil:
			p.Full = &seconds
		}
	}
	if p == nil {
		return nil, errors.New("pressure has no line some")
	}
	return p, nil
}
