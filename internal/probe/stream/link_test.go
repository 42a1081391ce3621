package stream

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Of a real pod's end of a veth pair.
const netDev = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:       0       0    0    0    0     0          0         0        0       0    0    0    0     0       0          0
  eth0: 1234567    8901    1    2    3     4          5         6  7654321    1098    7    8    9    10      11         12
`

func TestParseLink(t *testing.T) {
	got, err := parseLink(netDev, "eth0")
	if err != nil {
		t.Fatal(err)
	}
	want := LinkCounts{Name: "eth0", RxBytes: 1234567, RxPackets: 8901, RxDropped: 2, TxBytes: 7654321, TxPackets: 1098, TxDropped: 8}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]string{
		"eth1": "reading the counts of eth1: there is no such device",
		"face": "reading the counts of face: there is no such device",
	} {
		if _, err := parseLink(netDev, name); err == nil || err.Error() != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParseLink(f *testing.F) {
	f.Add(netDev, "eth0")
	f.Add("eth0: 1 2 3", "eth0")
	f.Add("eth0:1 2 3 4 5 6 7 8 9 10 11 x", "eth0")
	f.Fuzz(func(t *testing.T, text, name string) {
		if c, err := parseLink(text, name); err == nil && c.Name != name {
			t.Errorf("asked for %q, got %+v", name, c)
		}
	})
}
