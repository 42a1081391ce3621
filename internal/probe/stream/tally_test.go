package stream

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func datagram(key, trial uint32, sequence uint64) []byte {
	b := make([]byte, minPayload)
	header{key, trial, sequence}.put(b)
	return b
}

func TestTally(t *testing.T) {
	mine := func(sequence uint64) []byte { return datagram(7, 2, sequence) }
	tests := map[string]struct {
		arrivals [][]byte
		want     Counts
	}{
		"in order":          {[][]byte{mine(0), mine(1), mine(2)}, Counts{Received: 3}},
		"one missing":       {[][]byte{mine(0), mine(2)}, Counts{Received: 2}},
		"overtaken":         {[][]byte{mine(0), mine(2), mine(1), mine(3)}, Counts{Received: 4, Reordered: 1}},
		"twice":             {[][]byte{mine(0), mine(0), mine(130), mine(130)}, Counts{Received: 2, Duplicates: 2}},
		"of another trial":  {[][]byte{datagram(7, 1, 0), mine(0), datagram(7, 3, 0)}, Counts{Received: 1, Stragglers: 2}},
		"of another search": {[][]byte{datagram(8, 2, 0), mine(0)}, Counts{Received: 1, Foreign: 1}},
		"no header":         {[][]byte{nil, []byte("hello"), mine(0)}, Counts{Received: 1, Foreign: 2}},
		"number too high":   {[][]byte{mine(mostDatagrams), mine(1<<64 - 1)}, Counts{Foreign: 2}},
	}
	for name, test := range tests {
		tally := tally{key: 7}
		for round := range 2 { // what was counted before makes no difference
			tally.begin(1)
			tally.add(datagram(7, 1, 100), nil)
			tally.begin(2)
			for _, d := range test.arrivals {
				tally.add(d, nil)
			}
			if diff := cmp.Diff(test.want, tally.counts); diff != "" {
				t.Errorf("%s, round %d (-want +got):\n%s", name, round+1, diff)
			}
		}
	}
}

// FuzzTally: whatever arrives, a datagram is counted once and in one way.
func FuzzTally(f *testing.F) {
	f.Add([]byte{0, 0, 0, 7, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 9})
	f.Fuzz(func(t *testing.T, data []byte) {
		tally := tally{key: 7}
		tally.begin(2)
		arrivals := uint64(0)
		for ; len(data) > 0; arrivals++ {
			n := min(len(data), minPayload)
			if n == minPayload {
				data[8], data[9], data[10], data[11], data[12] = 0, 0, 0, 0, 0 // keep memory small
			}
			tally.add(data[:n], nil)
			data = data[n:]
		}
		c := tally.counts
		if c.Received+c.Duplicates+c.Stragglers+c.Foreign != arrivals || c.Reordered > c.Received {
			t.Errorf("%d arrivals: %+v", arrivals, c)
		}
	})
}
