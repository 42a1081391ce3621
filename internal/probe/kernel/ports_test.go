package kernel

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const udpTable = `   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
  433: 00000000:2118 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 0 2 0000000000000000 0
`

const tcpTable = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:00B3 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 12 1 0000000000000000 100 0 0 10 0
   1: 0100007F:01BB 0100007F:8000 01 00000000:00000000 00:00000000 00000000     0        0 13 1 0000000000000000 20 4 30 10 -1
`

func TestParseSockets(t *testing.T) {
	ports := map[string]bool{}
	if err := parseSockets(udpTable, "udp", ports); err != nil {
		t.Fatal(err)
	}
	if err := parseSockets(tcpTable, "tcp", ports); err != nil {
		t.Fatal(err)
	}
	// 443 is a connection's end and keeps nobody from listening.
	if diff := cmp.Diff(map[string]bool{"8472/udp": true, "179/tcp": true}, ports); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := parseSockets("0: here there 07\n", "udp", ports); err == nil {
		t.Error("a line without a port is read")
	}
}

func TestParsePort(t *testing.T) {
	if port, protocol, err := ParsePort("8472/udp"); port != 8472 || protocol != "udp" || err != nil {
		t.Error(port, protocol, err)
	}
	for _, s := range []string{"", "esp", "8472", "0/udp", "65536/tcp", "8472/sctp", "x/udp"} {
		if port, protocol, err := ParsePort(s); err == nil {
			t.Errorf("%q is port %d of %s", s, port, protocol)
		}
	}
}

func FuzzParseSockets(f *testing.F) {
	f.Add(udpTable, "udp")
	f.Add(tcpTable, "tcp")
	f.Fuzz(func(t *testing.T, table, protocol string) {
		ports := map[string]bool{}
		if err := parseSockets(table, protocol, ports); err != nil && err.Error() == "" {
			t.Error("an error without words")
		}
	})
}
