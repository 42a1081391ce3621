package rtt

import "testing"

// BenchmarkPrograms says what a packet costs, as the kernel times it:
// packets of others, the load's segments within a tick, its acknowledgements,
// and the same in a tunnel. A rule each for eight kinds of connection is the
// most that there can be.
func BenchmarkPrograms(b *testing.B) {
	one := []Flow{{There: End{Addresses: "10.0.0.2", FirstPort: 5201, LastPort: 5208}}}
	var eight []Flow
	for i := range MaxFlows {
		eight = append(eight, Flow{Label: string(rune('a' + i)), There: End{Addresses: "10.0.0.2", FirstPort: 5300 + i}})
	}
	segment := tcp{from: "10.0.0.1:40000", to: "10.0.0.2:5201", flags: ack, value: 100, payload: 1000}
	other := segment
	other.to = "10.0.0.3:80"
	for _, bb := range []struct {
		name  string
		flows []Flow
		frame []byte
	}{
		{"others", one, other.frame()},
		{"others, eight rules", eight, other.frame()},
		{"segment", one, segment.frame()},
		{"acknowledgement", one, segment.back(1).frame()},
		{"segment in VXLAN", one, inTunnel(8472, make([]byte, 8), segment.frame())},
	} {
		b.Run(bb.name, func(b *testing.B) {
			o := &observer{flows: bb.flows}
			if err := o.load(Tap{}, device{linkHeader: 14}, Spec{Flows: bb.flows}); err != nil {
				b.Skip(err)
			}
			defer func() { _ = o.close() }() // nothing is attached
			const repeat = 100000
			var total float64
			for b.Loop() {
				_, each, err := o.objects.TcEgress.Benchmark(bb.frame, repeat, nil)
				if err != nil {
					b.Fatal(err)
				}
				total += float64(each.Nanoseconds())
			}
			b.ReportMetric(total/float64(b.N), "ns/packet")
		})
	}
}
