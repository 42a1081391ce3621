package importer

import (
	"encoding/json"
	"fmt"
	"math"
	"path"
	"strings"

	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/result"
)

// fromFile is what a figure of .results rests on.
const fromFile = "as the source's .results say; the report of iperf3 is not in this copy"

// readLoad reads the client's report. A test without one failed, though CPU
// figures may stand next to it: they are of a load that did not run.
func (t *ibReader) readLoad() error {
	file := t.file("-client.stdout")
	if !t.job.has[file] {
		t.loadFromResults()
		return nil
	}
	content, err := t.source.read(path.Join(t.job.dir, file))
	if err != nil {
		return err
	}
	if strings.TrimSpace(string(content)) == "" {
		t.fail("%s is empty: iperf3 wrote nothing", file)
		return nil
	}
	r, failure := load.ParseIperf3(content)
	var head iperf3Head
	_ = json.Unmarshal(content, &head) // what is not read is not said
	parameters := t.parameters
	t.iperf3(head, r, failure)
	t.parameters = parameters
	if t.failure != "" {
		return nil
	}
	t.loadFrom, t.loadTo = r.Omit.Milliseconds(), (r.Omit + r.Duration).Milliseconds()
	if said, ok := t.number("BW"); ok {
		if got, has := t.value(t.job.test.main.Name); has && math.Abs(said-got) > 1e-6*got {
			t.marks = append(t.marks, result.Mark{
				Name: "source-disagrees", Detail: fmt.Sprintf("%s says %v bit/s, iperf3's own report %v", t.file(".results"), said, got),
			})
		}
	}
	return nil
}

// loadFromResults takes what a copy without reports has. Empty and null mean
// that the test failed.
func (t *ibReader) loadFromResults() {
	bits, ok := t.number("BW")
	if !ok || !(bits > 0) {
		t.fail("there is no %s, and %s says %q for the bandwidth", t.file("-client.stdout"), t.file(".results"), t.results["BW"])
		return
	}
	t.add(t.job.test.main, bits, fromFile)
	// The source's commands are always the same.
	const omit, duration = 1, 60
	t.loadFrom, t.loadTo = 1000*omit, 1000*(omit+duration)
	if t.job.test.protocol == "tcp" {
		if n, ok := t.number("RTS"); ok {
			t.add(retransmits, n/duration, fromFile)
		}
		return
	}
	if share, ok := t.number("LOST"); ok {
		t.add(loss, share, fromFile)
	}
	if ms, ok := t.number("JITTER"); ok {
		t.add(jitter, ms/1000, fromFile)
	}
}
