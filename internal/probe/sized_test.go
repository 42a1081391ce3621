package probe

import (
	"bytes"
	"testing"
)

// One way alone has a small datagram on the other; both have the same.
func TestQuestion(t *testing.T) {
	for _, tt := range []struct {
		way          Way
		payload      int
		asks, awaits int
	}{
		{BothWays, 1472, 1472, 1472},
		{"", 1472, 1472, 1472},
		{There, 1472, 1472, smallPayload},
		{Back, 1472, smallPayload, 1472},
		{Back, 65507, smallPayload, 65507},
		{There, sizedHeader, sizedHeader, smallPayload},
	} {
		datagram, answer, err := question(tt.way, tt.payload)
		if err != nil || len(datagram) != tt.asks || len(answer) != tt.awaits {
			t.Errorf("%q %d: a datagram of %d bytes and an answer of %d, %v", tt.way, tt.payload, len(datagram), len(answer), err)
		}
		if got := answerTo(datagram, make([]byte, maxDatagram)); !bytes.Equal(got, answer) {
			t.Errorf("%q %d: the server answers with %d bytes that are not those", tt.way, tt.payload, len(got))
		}
		if other, _, _ := question(tt.way, tt.payload); bytes.Equal(other, datagram) {
			t.Errorf("%q %d: two questions are one", tt.way, tt.payload)
		}
	}
}

// What asks for no size, or for none that there is, comes back as it is, and
// nothing of an earlier answer is in a later one.
func FuzzAnswerTo(f *testing.F) {
	asks, _, _ := question(Back, 100)
	for _, seed := range [][]byte{nil, []byte("cnibench"), asks, asks[:sizedHeader], append([]byte(sizedMark), 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, datagram []byte) {
		used := bytes.Repeat([]byte{1}, maxDatagram)
		got := answerTo(datagram, used)
		if bytes.Equal(got, datagram) {
			return
		}
		if !bytes.HasPrefix(datagram, []byte(sizedMark)) || !bytes.Equal(got[:sizedHeader], datagram[:sizedHeader]) {
			t.Fatalf("%q is answered with %q", datagram, got[:min(len(got), 40)])
		}
		if len(bytes.Trim(got[sizedHeader:], "\x00")) > 0 {
			t.Fatalf("%d bytes after the header are not all zero", len(got)-sizedHeader)
		}
	})
}
