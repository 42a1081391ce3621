package vitals

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFindComplaints(t *testing.T) {
	log := strings.Join([]string{
		"<6>[    1.000001] cni0: port 1(veth1) entered forwarding state", // every container start writes this
		"<4>[   12.345678] nf_conntrack: nf_conntrack: table full, dropping packet",
		"<6>[   13.000000] e1000e 0000:00:1f.6 eth0: NIC Link is Down",
		"<3>[   14.000000] NETDEV WATCHDOG: eth0 (e1000e): transmit queue 0 timed out",
		"<4>[   15.000000] cali-drop DROP IN=eth0 OUT=cali1 SRC=10.0.0.1",
		"<3>[   16.000000] Out of memory: Killed process 1 (iperf3)",
		"neighbour: arp_cache: neighbor table overflow!", // no time
	}, "\n")
	var got []string
	for _, c := range FindComplaints(log) {
		got = append(got, c.About+" at "+c.At.String())
	}
	want := []string{
		"conntrack table full at 12.345678s", "link went down at 13s", "transmit queue hung at 14s",
		"dropped by a rule that logs at 15s", "memory could not be had at 16s", "neighbour table full at 0s",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("complaints (-want +got):\n%s", diff)
	}
}

// Of a kind that repeats the last ones are kept.
func TestComplaintsAreBounded(t *testing.T) {
	log := strings.Repeat("[    1.000000] nf_conntrack: table full\n", 1000) + "[ 2.000000] nf_conntrack: table full\n"
	got := FindComplaints(log)
	if len(got) != mostComplaints || got[len(got)-1].At != 2*time.Second {
		t.Errorf("%d are kept, the last %+v", len(got), got)
	}
}

func FuzzFindComplaints(f *testing.F) {
	f.Add("<4>[   12.345678] nf_conntrack: table full\n")
	f.Add("[99999999999999999999.999999] Out of memory: x")
	f.Fuzz(func(t *testing.T, log string) {
		for _, c := range FindComplaints(log) {
			if c.About == "" || c.At < 0 || strings.Contains(c.Text, "\n") {
				t.Errorf("%q gives %+v", log, c)
			}
		}
	})
}

func TestCountRules(t *testing.T) {
	got, err := CountRules(strings.NewReader(`# Generated
*nat
:PREROUTING ACCEPT [0:0]
-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A KUBE-SERVICES -d 10.96.0.1/32 -j KUBE-SVC-X
-A cali-PREROUTING -j cali-fip-dnat
-A INPUT -j ACCEPT
COMMIT
`))
	if diff := cmp.Diff(map[string]int{"kube-proxy": 2, "Calico": 1, "others": 1}, got); diff != "" || err != nil {
		t.Errorf("rules (-want +got, %v):\n%s", err, diff)
	}
	if _, err := CountRules(strings.NewReader("-A " + strings.Repeat("x", 2<<20))); err == nil {
		t.Error("a line without an end is no error")
	}
}

func TestFiles(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text + "\n")} }
	root := fstest.MapFS{
		"sys/class/net/eth0/statistics/rx_packets":    file("70"),
		"sys/class/net/eth0/statistics/tx_packets":    file("30"),
		"sys/class/net/eth0/statistics/rx_crc_errors": file("2"),
		"sys/class/net/eth0/statistics/rx_errors":     file("0"),
		"sys/class/net/eth0/statistics/rx_bytes":      file("7000"),
		"sys/class/net/bad/statistics/rx_packets":     file("many"),
		"sys/block/sda/queue/rotational":              file("1"),
		"sys/block/nvme0n1/queue/rotational":          file("0"),
		"sys/block/loop0/queue/rotational":            file("1"),
		"proc/sys/net/netfilter/nf_conntrack_count":   file("5"),
		"proc/sys/net/netfilter/nf_conntrack_max":     file("100"),
	}
	packets, wrong, err := ReadCounters(root, "eth0")
	if err != nil || packets != 100 || !cmp.Equal(wrong, map[string]uint64{"rx_crc_errors": 2}) {
		t.Errorf("counters: %d packets, %v, %v", packets, wrong, err)
	}
	for _, link := range []string{"bad", "absent"} {
		if _, _, err := ReadCounters(root, link); err == nil {
			t.Errorf("the counters of %s can be read", link)
		}
	}
	disks, err := ReadDisks(root)
	if diff := cmp.Diff([]Disk{{"nvme0n1", false}, {"sda", true}}, disks); diff != "" || err != nil {
		t.Errorf("disks (%v, -want +got):\n%s", err, diff)
	}
	c, err := ReadConntrack(root)
	if err != nil || *c != (Conntrack{5, 100}) {
		t.Errorf("conntrack: %+v, %v", c, err)
	}
	for name, fsys := range map[string]fstest.MapFS{
		"nothing": {}, "no limit": {"proc/sys/net/netfilter/nf_conntrack_count": file("5"), "proc/sys/net/netfilter/nf_conntrack_max": file("0")},
	} {
		if c, err := ReadConntrack(fsys); err == nil {
			t.Errorf("%s: conntrack is %+v", name, c)
		}
		if d, err := ReadDisks(fsys); err == nil {
			t.Errorf("%s: disks are %v", name, d)
		}
	}
}
