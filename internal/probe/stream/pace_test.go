package stream

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// drive runs a pacer against a simulated clock: every send takes some time,
// every sleep lasts longer than asked, and now and then the thread stands
// still.
func drive(p *pacer, send, oversleep, stall time.Duration, stalls map[uint64]bool) (sent uint64, last time.Duration, longest int) {
	now := time.Duration(0)
	for {
		n := p.due(sent, now)
		if n == 0 {
			if p.over(sent, now) {
				return sent, last, longest
			}
			now += p.wait(sent, now) + oversleep
			continue
		}
		longest = max(longest, n)
		for i := range uint64(n) {
			if stalls[sent+i] {
				now += stall
				break
			}
		}
		sent += uint64(n)
		now += send * time.Duration(n)
		last = now
	}
}

func TestPacerKeepsTheRate(t *testing.T) {
	for _, rate := range []float64{1, 100, 12_345.6, 300_000} {
		p := newPacer(rate, time.Second)
		sent, last, longest := drive(&p, time.Microsecond, 60*time.Microsecond, 0, nil)
		if want := uint64(math.Round(rate)); sent != want || p.shift != 0 {
			t.Errorf("%v/s: sent %d, put off by %s", rate, sent, p.shift)
		}
		if took := p.took(sent, last); took < 999*time.Millisecond || took > time.Second+time.Millisecond {
			t.Errorf("%v/s: took %s", rate, took)
		}
		if most := int(rate*150e-6) + 2; longest > most {
			t.Errorf("%v/s: a burst of %d, more than %d", rate, longest, most)
		}
	}
}

// After a stall of 30 ms 16 datagrams are made up for; the rest is sent later, and the trial says so.
func TestPacerDoesNotMakeUpForStalls(t *testing.T) {
	p := newPacer(10_000, time.Second)
	sent, last, _ := drive(&p, time.Microsecond, 60*time.Microsecond, 30*time.Millisecond, map[uint64]bool{5000: true})
	if took := p.took(sent, last); sent != 10_000 || took < 1028*time.Millisecond || took > 1031*time.Millisecond || p.shift < 28*time.Millisecond {
		t.Errorf("sent %d in %s, put off by %s", sent, took, p.shift)
	}
}

// At low rates the same stall is a few datagrams, and the rate holds.
func TestPacerMakesUpForFew(t *testing.T) {
	p := newPacer(200, time.Second)
	if sent, last, longest := drive(&p, time.Microsecond, 0, 30*time.Millisecond, map[uint64]bool{50: true}); sent != 200 || p.shift != 0 || longest > 8 || p.took(sent, last) > 1001*time.Millisecond {
		t.Errorf("sent %d in %s, put off by %s, %d at once", sent, p.took(sent, last), p.shift, longest)
	}
}

func TestPacerLateOnes(t *testing.T) {
	p := newPacer(10_000, time.Second) // one each 100 µs
	for late, want := range map[time.Duration]uint64{
		-time.Second: 0, time.Millisecond: 0, time.Millisecond + 1: 1, 1150 * time.Microsecond: 2, 11 * time.Millisecond: 101,
	} {
		if got := p.lateOnes(late); got != want {
			t.Errorf("%s late: %d, want %d", late, got, want)
		}
	}
}

// A sender that needs 100 µs for a datagram cannot send 20,000 a second, and
// does not try for ever.
func TestPacerGivesUp(t *testing.T) {
	p := newPacer(20_000, time.Second)
	sent, last, _ := drive(&p, 100*time.Microsecond, 0, 0, nil)
	took := p.took(sent, last)
	if rate := float64(sent) / took.Seconds(); rate < 9_500 || rate > 10_001 || took > 1200*time.Millisecond {
		t.Errorf("sent %d in %s: %v/s", sent, took, rate)
	}
}

func TestPacerWithoutARate(t *testing.T) {
	p := newPacer(0, time.Second)
	sent, last, _ := drive(&p, time.Microsecond, 0, 0, nil)
	if took := p.took(sent, last); sent < 990_000 || sent > 1_000_064 || took < time.Second {
		t.Errorf("sent %d in %s", sent, took)
	}
}

// However late the sender is, no datagram leaves before it is due, and the
// rate over the whole trial is never above what was asked for.
func TestPropertyPacer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := math.Pow(10, rapid.Float64Range(0, 6).Draw(t, "decades"))
		p := newPacer(rate, time.Duration(rapid.IntRange(1, 500).Draw(t, "ms"))*time.Millisecond)
		now, sent, last := time.Duration(0), uint64(0), time.Duration(0)
		for !p.over(sent, now) {
			n := p.due(sent, now)
			if n < 0 || n > batchSize || sent+uint64(n) > p.total {
				t.Fatalf("%d due after %d of %d", n, sent, p.total)
			}
			if n == 0 {
				now += p.wait(sent, now)
			} else if early := p.at(sent+uint64(n)-1) - now; early > time.Microsecond {
				t.Fatalf("datagram %d leaves %s early", sent+uint64(n)-1, early)
			} else {
				sent += uint64(n)
				last = now
			}
			now += time.Duration(rapid.IntRange(0, 3_000_000).Draw(t, "ns"))
		}
		if took := p.took(sent, last) + time.Nanosecond; float64(sent) > rate*took.Seconds()*(1+1e-9) {
			t.Errorf("%d in %s is more than %v/s", sent, p.took(sent, last), rate)
		}
	})
}
