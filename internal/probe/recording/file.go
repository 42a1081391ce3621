package recording

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/cnibench/cnibench/internal/probe/sample"
)

// Entries wait in memory before they are written, so that recording hardly
// writes while others measure: until there are so many bytes, or the oldest has
// waited for so long, since a recorder that is killed loses them.
const (
	buffered = 32 << 10
	heldBack = 5 * time.Second
)

// writer writes entries. After its first error it only counts.
type writer struct {
	buf  *bufio.Writer
	json *json.Encoder
	err  error
	lost int
	// flushed is when nothing waited last.
	flushed time.Time
}

func newWriter(w io.Writer) *writer {
	buf := bufio.NewWriterSize(w, buffered)
	return &writer{buf: buf, json: json.NewEncoder(buf), flushed: time.Now()}
}

func (w *writer) write(e Entry) {
	if w.err == nil {
		w.err = w.json.Encode(e)
	}
	if w.err == nil && time.Since(w.flushed) >= heldBack {
		w.err, w.flushed = w.buf.Flush(), time.Now()
	}
	if w.err != nil {
		w.lost++
	}
}

// flush returns what was wrong with any entry.
func (w *writer) flush() error {
	if w.err == nil {
		w.err = w.buf.Flush()
	}
	return w.err
}

// WritePlan writes the first line of a file.
func WritePlan(w io.Writer, p Plan) error {
	out := newWriter(w)
	out.write(Entry{Plan: &p})
	return out.flush()
}

// Recording is a file, read.
type Recording struct {
	Plan   Plan
	Series sample.Series
	Took   []time.Duration // for each sample, to take it
	Events []Event
	// Cut tells that the file ends within an entry: the recorder was killed,
	// or its disk was full.
	Cut bool
}

// Find returns the first event of a kind, or nil.
func (r Recording) Find(k Kind) *Event {
	for i := range r.Events {
		if r.Events[i].Kind == k {
			return &r.Events[i]
		}
	}
	return nil
}

// maxLine bounds an entry. A sample of a machine with a thousand cores has
// some 300 kB.
const maxLine = 16 << 20

// Read reads a file. One that ends within an entry is read up to it.
func Read(r io.Reader) (Recording, error) {
	var rec Recording
	lines := bufio.NewReaderSize(r, 1<<16)
	for number := 1; ; number++ {
		line, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			rec.Cut = rec.Cut || len(line) > 0
			break
		}
		if err == nil {
			err = rec.add(line, number == 1)
		}
		if err != nil {
			return Recording{}, fmt.Errorf("reading a recording, line %d: %w", number, err)
		}
	}
	if rec.Plan.Version == 0 {
		return Recording{}, errors.New("reading a recording: it has no first line")
	}
	return rec, nil
}

// ReadPlan reads the first line of a file, and nothing after it that the file
// would miss: the recorder appends.
func ReadPlan(r io.Reader) (Plan, error) {
	var rec Recording
	line, err := readLine(bufio.NewReader(r))
	if err == nil {
		err = rec.add(line, true)
	}
	if err != nil {
		return Plan{}, fmt.Errorf("reading the plan of a recording: %w", err)
	}
	return rec.Plan, nil
}

// readLine reads a line with its end. What lacks that comes with io.EOF.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLine {
			return nil, fmt.Errorf("it has more than %d bytes", maxLine)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// add takes a line in. The first must be the plan, and only the first.
func (r *Recording) add(line []byte, first bool) error {
	var e Entry
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&e); err != nil {
		return fmt.Errorf("it is no entry: %w", err)
	}
	switch {
	case first != (e.Plan != nil):
		return errors.New("a recording begins with its plan")
	case e.Plan != nil:
		r.Plan = *e.Plan
		return r.Plan.Validate()
	case e.Series != nil:
		r.Series = *e.Series
		r.Series.Samples = nil
	case e.Sample != nil:
		r.Series.Samples = append(r.Series.Samples, *e.Sample)
		r.Took = append(r.Took, e.Took)
	case e.Event != nil:
		r.Events = append(r.Events, *e.Event)
	default:
		return errors.New("the entry is empty")
	}
	return nil
}
