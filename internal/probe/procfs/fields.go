package procfs

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// NextField splits the first blank-separated field off line. The field is
// empty when the line is used up.
func NextField(line []byte) (field, rest []byte) {
	start := 0
	for start < len(line) && blank(line[start]) {
		start++
	}
	end := start
	for end < len(line) && !blank(line[end]) {
		end++
	}
	return line[start:end], line[end:]
}

func blank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' }

// NextLine splits the first line off data.
func NextLine(data []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(data, []byte{'\n'})
	return line, rest
}

// UserHZ is the unit of CPU times in /proc, in ticks per second. It is part of
// the kernel's interface to programs and is 100 on every architecture Go
// supports, whatever CONFIG_HZ is (proc(5), sysconf(_SC_CLK_TCK)).
const UserHZ = 100

// ParseUint parses a decimal number.
func ParseUint(field []byte) (uint64, error) {
	n, err := strconv.ParseUint(string(field), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is no number", Quote(string(field)))
	}
	return n, nil
}

// ParseUints fills out with the first fields of line.
func ParseUints(line []byte, out []uint64) error {
	for i := range out {
		var field []byte
		field, line = NextField(line)
		n, err := ParseUint(field)
		if err != nil {
			return fmt.Errorf("field %d: %w", i+1, err)
		}
		out[i] = n
	}
	return nil
}

const maxQuoted = 200 // of a foreign text in an error

// Quote quotes s for an error, shortened.
func Quote(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > maxQuoted {
		return strconv.Quote(s[:maxQuoted]) + " and more"
	}
	return strconv.Quote(s)
}
