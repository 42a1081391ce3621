package sample

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Recording keeps a series in little memory while it grows: samples are
// compressed as they come. It encodes to JSON that [Series] decodes.
type Recording struct {
	header  Series // all but the samples
	last    *Sample
	samples int
	buf     bytes.Buffer
	pack    *flate.Writer
}

// maxFaults bounds what a machine that goes wrong all the time can add.
const maxFaults = 1000

// NewRecording begins with a series without samples.
func NewRecording(header Series) (*Recording, error) {
	r := &Recording{header: header}
	var err error
	r.pack, err = flate.NewWriter(&r.buf, flate.DefaultCompression)
	return r, err
}

// Add adds a sample and what the sampler noticed while it took it. What two
// samples show when compared becomes faults too.
func (r *Recording) Add(s Sample, noticed []Fault) error {
	if r.last != nil {
		r.fault(between(r.last, &s, r.header.Interval)...)
	}
	r.fault(noticed...)
	r.last = &s
	r.samples++
	line, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("keeping a sample: %w", err)
	}
	if _, err := r.pack.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("keeping a sample: %w", err)
	}
	return nil
}

func (r *Recording) fault(faults ...Fault) {
	for _, f := range faults {
		if len(r.header.Faults) > maxFaults {
			r.header.Faults[maxFaults].At = f.At
			continue
		}
		if len(r.header.Faults) == maxFaults {
			f.Kind, f.Figure, f.Detail = FaultMore, "", fmt.Sprintf("more than %d faults; those after are not listed", maxFaults)
		}
		r.header.Faults = append(r.header.Faults, f)
	}
}

// Last is the sample that was added last, nil before the first.
func (r *Recording) Last() *Sample { return r.last }

// packed is a series whose samples are compressed: a line of JSON each, by
// DEFLATE.
type packed struct {
	plain
	Samples []json.RawMessage `json:"samples,omitempty"` // or these
	Packed  []byte            `json:"packedSamples,omitempty"`
	Count   int               `json:"packedCount,omitempty"`
}

type plain Series

// MarshalJSON ends the compression for what was recorded so far; nothing can
// be added after it.
func (r *Recording) MarshalJSON() ([]byte, error) {
	if err := r.pack.Close(); err != nil {
		return nil, err
	}
	return json.Marshal(packed{plain: plain(r.header), Packed: r.buf.Bytes(), Count: r.samples})
}

// UnmarshalJSON decodes a series, or a [Recording] of one.
func (s *Series) UnmarshalJSON(data []byte) error {
	var p packed
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	*s = Series(p.plain)
	s.Samples = nil
	for i, raw := range p.Samples {
		var one Sample
		if err := json.Unmarshal(raw, &one); err != nil {
			return fmt.Errorf("sample %d: %w", i+1, err)
		}
		s.Samples = append(s.Samples, one)
	}
	if p.Packed == nil {
		return nil
	}
	lines := json.NewDecoder(flate.NewReader(bytes.NewReader(p.Packed)))
	for {
		var one Sample
		err := lines.Decode(&one)
		if errors.Is(err, io.EOF) || len(s.Samples)-len(p.Samples) > p.Count {
			break
		}
		if err != nil {
			return fmt.Errorf("unpacking sample %d: %w", len(s.Samples)+1, err)
		}
		s.Samples = append(s.Samples, one)
	}
	if unpacked := len(s.Samples) - len(p.Samples); unpacked != p.Count {
		return fmt.Errorf("unpacking %d samples: there are %d", p.Count, unpacked)
	}
	return nil
}
