package probe

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/cnibench/cnibench/internal/probe/procfs"
)

// The ways in which reading a frame fails. Every error of [ReadFrame] that is
// not a plain read error wraps exactly one of them.
var (
	// ErrNoFrame means that the stream ended, or holds something else.
	ErrNoFrame = errors.New("no frame")
	// ErrTruncated means that a frame began and the stream ended inside it.
	ErrTruncated = errors.New("frame is truncated")
	// ErrCorrupt means that a frame is complete but not what was written.
	ErrCorrupt = errors.New("frame is corrupt")
)

const (
	frameMagic     = "cnibench-frame v1 "
	maxFrameHeader = 256
	maxFrameBytes  = 1 << 31 // two capped outputs of a few processes, escaped
	maxQuoted      = 200     // of foreign output in an error
)

// WriteFrame writes v as JSON in one frame: a header line
// "cnibench-frame v1 KIND BYTES SHA256", then BYTES bytes, then a newline.
// A kind is a word of lower-case letters and dashes.
func WriteFrame(w io.Writer, kind string, v any) error {
	if !validKind(kind) {
		return fmt.Errorf("writing frame: %q is no frame kind", kind)
	}
	payload, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("writing frame %s: %w", kind, err)
	}
	var buf bytes.Buffer
	sum := sha256.Sum256(payload)
	fmt.Fprintf(&buf, "%s%s %d %x\n", frameMagic, kind, len(payload), sum)
	buf.Write(payload)
	buf.WriteByte('\n')
	if _, err := w.Write(buf.Bytes()); err != nil {
		return fmt.Errorf("writing frame %s: %w", kind, err)
	}
	return nil
}

// ReadFrame reads the next frame and returns its kind and its JSON. Where the
// stream ends between frames the error wraps both [ErrNoFrame] and [io.EOF].
// Output that is no frame is quoted, shortened, in the error.
func ReadFrame(r *bufio.Reader) (kind string, payload []byte, err error) {
	kind, size, sum, err := readFrameHeader(r)
	if err != nil {
		return "", nil, err
	}
	var buf bytes.Buffer // grows with what arrives, whatever the header claims
	n, err := io.CopyN(&buf, r, size+1)
	if errors.Is(err, io.EOF) {
		return "", nil, fmt.Errorf("%w: %d of %d bytes of %s", ErrTruncated, n, size+1, kind)
	}
	if err != nil {
		return "", nil, fmt.Errorf("reading frame %s: %w", kind, err)
	}
	payload = buf.Bytes()[:size]
	if buf.Bytes()[size] != '\n' {
		return "", nil, fmt.Errorf("%w: %s does not end after %d bytes", ErrCorrupt, kind, size)
	}
	if sha256.Sum256(payload) != sum {
		return "", nil, fmt.Errorf("%w: checksum of %s does not match", ErrCorrupt, kind)
	}
	return kind, payload, nil
}

func readFrameHeader(r *bufio.Reader) (kind string, size int64, sum [sha256.Size]byte, err error) {
	line, err := readHeaderLine(r)
	if err != nil {
		return "", 0, sum, err
	}
	rest, ok := strings.CutPrefix(line, frameMagic)
	if !ok {
		more, _ := r.Peek(min(r.Buffered(), maxQuoted))
		return "", 0, sum, fmt.Errorf("%w but %s", ErrNoFrame, procfs.Quote(line+"\n"+string(more)))
	}
	fields := strings.Split(rest, " ")
	if len(fields) != 3 || !validKind(fields[0]) {
		return "", 0, sum, fmt.Errorf("%w: header %s", ErrCorrupt, procfs.Quote(line))
	}
	size, err = strconv.ParseInt(fields[1], 10, 64)
	if err != nil || size < 0 || size > maxFrameBytes {
		return "", 0, sum, fmt.Errorf("%w: size %s", ErrCorrupt, procfs.Quote(fields[1]))
	}
	digest, err := hex.DecodeString(fields[2])
	if err != nil || len(digest) != len(sum) {
		return "", 0, sum, fmt.Errorf("%w: checksum %s", ErrCorrupt, procfs.Quote(fields[2]))
	}
	copy(sum[:], digest)
	return fields[0], size, sum, nil
}

// readHeaderLine returns the next line without its newline. A line longer
// than any header is returned cut.
func readHeaderLine(r *bufio.Reader) (string, error) {
	var line []byte
	for len(line) < maxFrameHeader {
		b, err := r.ReadByte()
		if errors.Is(err, io.EOF) {
			return "", endInHeader(string(line))
		}
		if err != nil {
			return "", fmt.Errorf("reading frame: %w", err)
		}
		if b == '\n' {
			break
		}
		line = append(line, b)
	}
	return string(line), nil
}

func endInHeader(line string) error {
	switch {
	case line == "":
		return fmt.Errorf("%w: %w", ErrNoFrame, io.EOF)
	case strings.HasPrefix(line, frameMagic), strings.HasPrefix(frameMagic, line):
		return fmt.Errorf("%w: it ends in its header %s", ErrTruncated, procfs.Quote(line))
	}
	return fmt.Errorf("%w but %s", ErrNoFrame, procfs.Quote(line))
}

func validKind(kind string) bool {
	return kind != "" && len(kind) <= 32 && strings.Trim(kind, "abcdefghijklmnopqrstuvwxyz-") == ""
}
