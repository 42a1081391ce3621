package importer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"time"

	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/result"
)

func readIperf3(s *source, o Options) (*data, error) {
	files, err := s.files(".json")
	if err != nil {
		return nil, err
	}
	places, err := s.places(files, o.Pattern)
	if err != nil {
		return nil, err
	}
	reports := make([]iperf3Report, len(files))
	for i, file := range files {
		r := iperf3Report{file: file, place: places[file]}
		content, err := s.read(file)
		if err != nil {
			return nil, err
		}
		r.result, r.failure = load.ParseIperf3(content)
		r.result.Intervals = nil             // not needed, and most of it
		_ = json.Unmarshal(content, &r.head) // what is not read is not said
		r.scenario = cmp.Or(r.scenario, r.head.scenario())
		reports[i] = r
	}
	nameUnsaid(reports)
	variants, scenarios, all := names{}, names{}, newDrafts()
	from := map[key]string{}
	for _, r := range reports {
		k := key{block: r.block}
		if k.variant, err = variants.of(r.variant); err == nil {
			k.cell, err = scenarios.of(r.scenario)
		}
		if err != nil {
			return nil, s.problem(r.file, 0, "rename the file, or say what it is with --name", "%v", err)
		}
		if first, twice := from[k]; twice {
			return nil, s.problem(r.file, 0, "name them apart: by block, or by a directory or pattern with the scenario",
				"it is %s, %s in block %d, and so is %s", k.variant, k.cell, k.block, first)
		}
		from[k] = r.file
		all.at(k).iperf3(r.head, r.result, r.failure)
	}
	return all.data(path.Base(s.path))
}

// iperf3Report is a file and what it says.
type iperf3Report struct {
	file string
	place
	head    iperf3Head
	result  load.Iperf3Result
	failure error
}

// nameUnsaid gives reports that do not say what they were of, because the test
// never began, the scenario of the others if that is one and the same.
func nameUnsaid(reports []iperf3Report) {
	only, several := "", false
	for _, r := range reports {
		several = several || only != "" && r.scenario != "" && r.scenario != only
		only = cmp.Or(r.scenario, only)
	}
	if only == "" || several {
		only = "iperf3"
	}
	for i := range reports {
		reports[i].scenario = cmp.Or(reports[i].scenario, only)
	}
}

// iperf3Head is what of a report is read besides load's result.
type iperf3Head struct {
	Start struct {
		Test struct {
			Protocol string `json:"protocol"`
			Streams  int    `json:"num_streams"`
			Reverse  int    `json:"reverse"`
		} `json:"test_start"`
	} `json:"start"`
	End struct {
		Received struct {
			Packets *float64 `json:"packets"`
			Lost    *float64 `json:"lost_packets"`
			Jitter  *float64 `json:"jitter_ms"`
		} `json:"sum_received"`
	} `json:"end"`
}

// scenario names a test by what it asked for. One that never began does not
// say.
func (head iperf3Head) scenario() string {
	if head.Start.Test.Streams < 1 {
		return ""
	}
	name := "tcp"
	if head.Start.Test.Protocol == "UDP" {
		name = "udp"
	}
	if head.Start.Test.Reverse != 0 {
		name += "-reverse"
	}
	return fmt.Sprintf("%s.streams=%d", name, head.Start.Test.Streams)
}

// iperf3 gives the trial what one end's report says.
func (d *draft) iperf3(head iperf3Head, r load.Iperf3Result, failure error) {
	var said *load.Iperf3Error
	if errors.As(failure, &said) {
		d.fail("%v", said)
		return
	}
	if failure != nil {
		d.fail("no report of iperf3: %v", failure)
		return
	}
	d.parameters = parameter.Values{"streams": fmt.Sprint(r.Streams), "duration": r.Duration.String(), "omit": r.Omit.String()}
	if !r.Started.IsZero() && r.Started.Unix() > 0 {
		d.start, d.end = r.Started, r.Started.Add(r.Omit+r.Duration)
		d.window = &result.Window{Start: r.Started.Add(r.Omit), End: d.end}
	}
	d.fact("iperf3", r.Version)
	d.fact("congestion control of the sender", r.SenderCongestion)
	d.fact("congestion control of the receiver", r.ReceiverCongestion)
	if r.PathMTU > 0 {
		d.fact("path MTU", fmt.Sprint(r.PathMTU))
	}
	if r.Datagrams != nil {
		d.iperf3UDP(head, r)
		return
	}
	switch {
	case r.Received != nil:
		d.add(throughput, r.Received.BitsPerSecond, "")
	default:
		d.lack(throughput.Name, "the report is of the sending server, which does not know what arrived: import the client's")
	}
	if r.Retransmits != nil && r.Sent != nil {
		d.add(retransmits, float64(*r.Retransmits)/r.Sent.Seconds, "")
	} else {
		d.lack(retransmits.Name, "the sender's system does not count retransmissions, or the report is not the sender's")
	}
	if r.MeanRTT != nil {
		d.add(rtt, r.MeanRTT.Seconds(), "")
	}
}

// iperf3UDP reads what arrived by the receiver's count, which a client prints
// as end.sum_received; its end.sum is what was sent, and the loss in its
// end.sum_sent is always 0.
func (d *draft) iperf3UDP(head iperf3Head, r load.Iperf3Result) {
	if r.Received == nil {
		d.lack(goodput.Name, "the report is of the sending server, which does not know what arrived: import the client's")
	} else {
		d.add(goodput, r.Received.BitsPerSecond, "")
	}
	if r.Sent != nil {
		d.add(offered, r.Sent.BitsPerSecond, "")
	}
	got := head.End.Received
	switch {
	case got.Packets == nil || got.Lost == nil || !(*got.Packets > 0):
		d.lack(loss.Name, "the report has no packets and lost_packets of the receiver")
	case *got.Lost < 0 || *got.Lost > *got.Packets:
		d.lack(loss.Name, fmt.Sprintf("the report says that %v of %v datagrams were lost", *got.Lost, *got.Packets))
	default:
		partial := ""
		if r.Omit > 0 && r.Client && !iperf3From(r.Version, 13) {
			partial = "as a client before iperf3 3.13 prints it, which counts losses of the warm-up among those after it"
		}
		d.add(loss, 100**got.Lost / *got.Packets, partial)
	}
	if got.Jitter != nil && r.Received != nil && r.Received.Bytes > 0 {
		d.add(jitter, *got.Jitter*time.Millisecond.Seconds(), "")
	}
}

// fact notes an observation, unless there is none.
func (d *draft) fact(name, value string) {
	if value != "" {
		d.facts[name] = value
	}
}

// iperf3From tells whether a version such as "iperf 3.16" is 3.minor or later.
func iperf3From(version string, minor int) bool {
	var major, got int
	n, _ := fmt.Sscanf(version, "iperf %d.%d", &major, &got)
	return n == 2 && (major > 3 || major == 3 && got >= minor)
}
