package stream

// mostDatagrams of one stream in one trial; more are foreign. Their marks take
// 64 MiB.
const mostDatagrams = 1 << 29

// Counts is what arrived of one trial.
type Counts struct {
	// Received are different datagrams of the trial.
	Received uint64 `json:"received"`
	// Duplicates are datagrams of the trial that had arrived before.
	Duplicates uint64 `json:"duplicates"`
	// Reordered are those of Received that came after one with a higher
	// number (RFC 4737 section 3).
	Reordered uint64 `json:"reordered"`
	// Stragglers belong to other trials of the same search.
	Stragglers uint64 `json:"stragglers"`
	// Foreign are none of the search's datagrams.
	Foreign uint64 `json:"foreign"`
}

func (c *Counts) add(o Counts) {
	c.Received += o.Received
	c.Duplicates += o.Duplicates
	c.Reordered += o.Reordered
	c.Stragglers += o.Stragglers
	c.Foreign += o.Foreign
}

// tally counts the datagrams of one stream.
type tally struct {
	key, trial uint32
	counts     Counts
	seen       []uint64 // a bit for every sequence number
	next       uint64   // one above the highest number so far
}

// begin starts another trial; what comes of earlier ones is a straggler.
func (t *tally) begin(trial uint32) {
	t.trial, t.counts, t.next = trial, Counts{}, 0
	clear(t.seen)
	t.seen = t.seen[:0]
}

// add counts one datagram by its first bytes. It reports whether it is one of
// the trial, and gives its number to fresh if it is there for the first time.
func (t *tally) add(datagram []byte, fresh func(number uint64)) bool {
	h, ok := parseHeader(datagram)
	switch {
	case !ok || h.key != t.key || h.sequence >= mostDatagrams:
		t.counts.Foreign++
		return false
	case h.trial != t.trial:
		t.counts.Stragglers++
		return false
	}
	word, bit := h.sequence/64, uint64(1)<<(h.sequence%64)
	if missing := int(word) + 1 - len(t.seen); missing > 0 {
		t.seen = append(t.seen, make([]uint64, missing)...)
	}
	if t.seen[word]&bit != 0 {
		t.counts.Duplicates++
		return true
	}
	t.seen[word] |= bit
	t.counts.Received++
	if h.sequence < t.next {
		t.counts.Reordered++
	} else {
		t.next = h.sequence + 1
	}
	if fresh != nil {
		fresh(h.sequence)
	}
	return true
}
