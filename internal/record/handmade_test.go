package record

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/probe/recording"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// handmade is a recording of a command that runs from 2 s to 5.5 s of 7.5 s,
// with one core busy and 1 MB/s sent meanwhile. The clock is set forward by an
// hour at 4 s.
func handmade(t testing.TB, e Export) recording.Recording {
	t.Helper()
	export, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	const boot = 100 * time.Second
	rec := recording.Recording{
		Plan: recording.Plan{
			Version: recording.Version, Path: "/usr/bin/iperf3", Argv: []string{"iperf3", "-c", "10.0.0.2"},
			Every: time.Second, Before: 2 * time.Second, After: 2 * time.Second, ID: "made-up", MadeUp: true, Export: export,
			Sync: &recording.Sync{Role: recording.RoleClient, Address: "10.0.0.2:7411", Wait: time.Minute},
		},
		Series: sample.Series{Hostname: "a1", Interval: time.Second},
	}
	event := func(k recording.Kind, since time.Duration) recording.Event {
		return recording.Event{Kind: k, At: noon.Add(since), Mono: boot + since}
	}
	begin, start, end := event(recording.Begin, 0), event(recording.Start, 2*time.Second), event(recording.End, 5500*time.Millisecond)
	begin.Meeting = &recording.Together{ID: "theirs", Other: "10.0.0.2:7411", Within: 120 * time.Microsecond}
	end.Command = &recording.Command{UserSeconds: 0.5, SystemSeconds: 2.75, MaxRSSBytes: 5 << 20}
	rec.Events = []recording.Event{begin, start, end}
	for _, since := range []time.Duration{0, 1000, 2000, 2000, 3000, 4000, 5000, 5500, 6000, 7000, 7500} {
		since *= time.Millisecond
		s := sampleAt(min(max(since-2*time.Second, 0), 3500*time.Millisecond).Seconds(), since.Seconds())
		s.Mono, s.At = boot+since, noon.Add(since)
		if since >= 4*time.Second {
			s.At = s.At.Add(time.Hour)
		}
		rec.Series.Samples = append(rec.Series.Samples, s)
		rec.Took = append(rec.Took, 250*time.Microsecond)
	}
	return rec
}

// sampleAt is a machine whose command has run for some seconds of its up time.
func sampleAt(ran, up float64) sample.Sample {
	busy := sample.Modes{User: 10 + 0.2*ran, System: 5 + 0.5*ran, SoftIRQ: 1 + 0.3*ran, Idle: 50 + up - ran}
	rest := sample.Modes{Idle: 60 + up}
	return sample.Sample{
		CPU:             sample.Modes{User: busy.User, System: busy.System, SoftIRQ: busy.SoftIRQ, Idle: busy.Idle + rest.Idle},
		Cores:           []sample.Core{{ID: 0, Modes: busy}, {ID: 1, Modes: rest}},
		ContextSwitches: uint64(1000 * up),
		Memory:          &sample.Memory{Total: 4 << 30, Free: 1 << 30, Available: 2<<30 - uint64(100*ran)<<20, Buffers: 1 << 20, Cached: 512 << 20},
		Interfaces: map[string]sample.Traffic{
			"eth0": {TxBytes: 7 + uint64(1e6*ran), RxBytes: 9 + uint64(1e3*ran)},
			"lo":   {TxBytes: 4096, RxBytes: 4096},
		},
		Disks:     map[string]sample.Disk{"vda": {ReadBytes: 512, WrittenBytes: uint64(4096 * ran)}},
		Protocols: &sample.Protocols{TCP: map[string]uint64{"RetransSegs": uint64(2 * ran)}},
		Own:       0.001 * up,
	}
}
