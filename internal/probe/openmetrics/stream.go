package openmetrics

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/prometheus/common/expfmt"
)

// Stream writes what [Write] writes, one series at a time, for families that
// are too large to be held at once. It does not notice two series with the
// same labels: who streams has a label that differs.
type Stream struct {
	out   *bufio.Writer
	names map[string]bool
	// family is the open one, without series; begun says that its HELP and
	// TYPE are written, which happens with its first series.
	family Family
	begun  bool
}

// NewStream returns a Stream to w, which it buffers.
func NewStream(w io.Writer) *Stream {
	return &Stream{out: bufio.NewWriter(w), names: map[string]bool{}}
}

// Begin starts a family, whose Series it ignores: they are added. A family to
// which none is added leaves nothing.
func (s *Stream) Begin(f Family) error {
	if s.names[f.Name] {
		return fmt.Errorf("writing OpenMetrics: metric %s comes twice", f.Name)
	}
	s.names[f.Name] = true
	s.family, s.begun = f, false
	s.family.Series = nil
	return nil
}

// Add writes a series of the family that was begun.
func (s *Stream) Add(series Series) error {
	head, samples, err := render(s.family, series)
	if err != nil {
		return err
	}
	if !s.begun {
		s.begun = true
		samples = append(head, samples...)
	}
	return s.write(samples)
}

// AddSamples writes series of the family that was begun, as
// [WriteSamples] wrote them.
func (s *Stream) AddSamples(lines io.Reader) error {
	if !s.begun {
		s.begun = true
		if err := s.writeHead(); err != nil {
			return err
		}
	}
	if _, err := io.Copy(s.out, lines); err != nil {
		return fmt.Errorf("writing OpenMetrics: %w", err)
	}
	return nil
}

// writeHead takes HELP, TYPE and UNIT from a family with a sample.
func (s *Stream) writeHead() error {
	head, _, err := render(s.family, Series{Points: []Point{{}}})
	if err != nil {
		return err
	}
	return s.write(head)
}

// Close ends the text with "# EOF" and flushes it. What lies below is not
// closed.
func (s *Stream) Close() error {
	if err := s.write([]byte("# EOF\n")); err != nil {
		return err
	}
	if err := s.out.Flush(); err != nil {
		return fmt.Errorf("writing OpenMetrics: %w", err)
	}
	return nil
}

func (s *Stream) write(text []byte) error {
	if _, err := s.out.Write(text); err != nil {
		return fmt.Errorf("writing OpenMetrics: %w", err)
	}
	return nil
}

// WriteSamples writes the lines of a family's series without what comes before
// them, for [Stream.AddSamples].
func WriteSamples(w io.Writer, f Family) error {
	for _, series := range f.Series {
		_, samples, err := render(f, series)
		if err != nil {
			return err
		}
		if _, err := w.Write(samples); err != nil {
			return fmt.Errorf("writing OpenMetrics: %w", err)
		}
	}
	return nil
}

// render returns the lines that start a family, and those of one series.
func render(f Family, series Series) (head, samples []byte, err error) {
	f.Series = []Series{series}
	if err := f.validate(); err != nil {
		return nil, nil, fmt.Errorf("writing OpenMetrics: %w", err)
	}
	var text bytes.Buffer
	if _, err := expfmt.MetricFamilyToOpenMetrics(&text, f.encode()); err != nil {
		return nil, nil, fmt.Errorf("writing OpenMetrics: %w", err)
	}
	all, end := text.Bytes(), 0
	for bytes.HasPrefix(all[end:], []byte("# ")) {
		n := bytes.IndexByte(all[end:], '\n')
		if n < 0 {
			return nil, nil, errors.New("writing OpenMetrics: a comment without an end")
		}
		end += n + 1
	}
	return all[:end:end], all[end:], nil
}
