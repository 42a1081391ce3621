package probe

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/cnibench/cnibench/internal/probe/procfs"
)

const maxSpecBytes = 1 << 20

// ReadSpec decodes the JSON on the first line of r into v. Unknown fields are
// errors: caller and probe come from the same build.
func ReadSpec(r *bufio.Reader, v any) error {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxSpecBytes {
			return fmt.Errorf("reading specification: line is longer than %d bytes", maxSpecBytes)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading specification: %w", err)
		}
		break
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return errors.New("reading specification: the first line of stdin is empty")
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("reading specification %s: %w", procfs.Quote(string(line)), err)
	}
	if dec.More() {
		return fmt.Errorf("reading specification %s: more than one value", procfs.Quote(string(line)))
	}
	return nil
}
