package stream

import (
	"math"
	"time"
)

const (
	// maxBehind and maxCatchUp are the most that a sender makes up for at
	// once, in time or in datagrams, whichever is more: at low rates a burst
	// of a few datagrams harms no buffer.
	maxBehind  = time.Millisecond
	maxCatchUp = 16
	// lateAfter is how long after its time a datagram is late.
	lateAfter = time.Millisecond
	// quantum is the shortest sleep: below it, timers and the scheduler decide
	// and not the clock.
	quantum = 50 * time.Microsecond
	// batchSize is the most datagrams of one system call.
	batchSize = 64
	// overtime is how much longer than planned a trial may take, besides a
	// tenth of its duration.
	overtime = 50 * time.Millisecond
)

// pacer says when datagrams are due. Times count from the beginning of the
// trial.
type pacer struct {
	perSecond float64 // 0: always
	total     uint64  // datagrams of the trial
	duration  time.Duration
	shift     time.Duration // by which the schedule was put off
}

func newPacer(perSecond float64, duration time.Duration) pacer {
	p := pacer{perSecond: perSecond, duration: duration, total: mostDatagrams}
	if perSecond > 0 {
		p.total = uint64(min(max(1, math.Round(perSecond*duration.Seconds())), mostDatagrams))
	}
	return p
}

// at returns when datagram n, counted from 0, is due.
func (p *pacer) at(n uint64) time.Duration {
	if p.perSecond <= 0 {
		return 0
	}
	return p.shift + time.Duration(float64(n)/p.perSecond*1e9)
}

// due returns how many of the datagrams from next on may be sent now, 0 for
// none. It puts the schedule off where more time was lost than may be made up
// for.
func (p *pacer) due(next uint64, now time.Duration) int {
	if p.over(next, now) {
		return 0
	}
	if p.perSecond <= 0 {
		return batchSize
	}
	if behind := now - p.at(next); behind < 0 {
		return 0
	} else if most := max(maxBehind, time.Duration(maxCatchUp/p.perSecond*1e9)); behind > most {
		p.shift += behind - most
	}
	ready := uint64((now-p.shift).Seconds()*p.perSecond) + 1
	return int(min(max(ready, next+1), p.total, next+batchSize) - next)
}

// over reports whether the trial has ended: all is sent, or the time is up.
func (p *pacer) over(next uint64, now time.Duration) bool {
	if p.perSecond <= 0 {
		return now >= p.duration || next >= p.total
	}
	return next >= p.total || now > p.duration+p.duration/10+overtime
}

// wait returns how long to sleep before datagram next.
func (p *pacer) wait(next uint64, now time.Duration) time.Duration {
	return max(p.at(next)-now, quantum)
}

// lateOnes returns how many datagrams in a row are late when the first is late
// by so much.
func (p *pacer) lateOnes(first time.Duration) uint64 {
	if first <= lateAfter {
		return 0
	}
	return uint64((first-lateAfter).Seconds()*p.perSecond) + 1
}

// took returns the time that the trial's datagrams stand for when the last of
// them was sent at last: each has its slot, the last one too.
func (p *pacer) took(sent uint64, last time.Duration) time.Duration {
	if p.perSecond <= 0 {
		return max(p.duration, last)
	}
	return max(p.at(sent), last)
}
