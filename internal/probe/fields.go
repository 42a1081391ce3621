package probe

import (
	"bytes"
	"fmt"
	"strconv"
)

// nextField splits the first blank-separated field off line. The field is
// empty when the line is used up.
func nextField(line []byte) (field, rest []byte) {
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

// nextLine splits the first line off data.
func nextLine(data []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(data, []byte{'\n'})
	return line, rest
}

func parseUint(field []byte) (uint64, error) {
	n, err := strconv.ParseUint(string(field), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is no number", quote(string(field)))
	}
	return n, nil
}

// parseUints fills out with the first fields of line.
func parseUints(line []byte, out []uint64) error {
	for i := range out {
		var field []byte
		field, line = nextField(line)
		n, err := parseUint(field)
		if err != nil {
			return fmt.Errorf("field %d: %w", i+1, err)
		}
		out[i] = n
	}
	return nil
}
