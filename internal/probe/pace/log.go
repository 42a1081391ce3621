package pace

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Log returns the distributions in the text format of HdrHistogram's logs
// (.hlog), one line each, tagged with what it is, in nanoseconds.
func (r Report) Log() ([]byte, error) {
	var buf bytes.Buffer
	w := hdrhistogram.NewHistogramLogWriter(&buf)
	err := errors.Join(w.OutputLogFormatVersion(), w.OutputStartTime(r.Start.UnixMilli()), w.OutputLegend())
	for _, d := range []struct {
		tag string
		Distribution
	}{{"response", r.Response}, {"service", r.Service}, {"connect", r.Connect}, {"lateness", r.Lateness}} {
		if d.Count() == 0 {
			continue
		}
		h := d.histogram.Clone()
		h.SetTag(d.tag)
		h.SetStartTimeMs(r.Start.UnixMilli())
		h.SetEndTimeMs(r.End.UnixMilli())
		err = errors.Join(err, w.OutputIntervalHistogram(h))
	}
	if err != nil {
		return nil, fmt.Errorf("writing histograms: %w", err)
	}
	return buf.Bytes(), nil
}
