// Package rtt measures round-trip times of TCP connections from outside, where
// their packets pass: at a node's network card, or at a pod's interface. Small
// programs in the kernel (eBPF, in the directory bpf) look at every packet and
// change none; both ends of a round trip pass the same place, so one clock
// sees both.
//
// # What a round trip is
//
// The method is that of pping (Kathleen Nichols, 2017). A segment carries a
// timestamp of its sender, TSval, and an acknowledgement echoes it as TSecr
// (RFC 7323). The first segment with a new TSval is remembered, the first
// acknowledgement that echoes it ends the round trip. A round trip is the way
// from here to the receiver and back, with the time the receiver takes, and
// not the way between here and the sender. So the direction in which the
// segment passed belongs to every histogram: at a network card, segments that
// leave ([Egress]) have the network before them; at a pod's own end of its
// interface likewise. Bare acknowledgements start nothing, because nobody
// acknowledges them.
//
// # What it can and cannot show
//
//   - A connection gives at most one round trip for each tick of its sender's
//     timestamp clock: 1 ms on Linux. A thousand a second, whatever the rate.
//     They are those of segments that were the first of their tick.
//   - Receivers acknowledge late: every second segment at the earliest when
//     data streams, after up to 40 ms (Linux) when it does not. That wait is
//     in the round trip, as it is in TCP's own. TSecr names the first segment
//     that the acknowledgement covers (RFC 7323 §4.3), so the wait is counted
//     whole.
//   - An acknowledgement may cover segments of two ticks and echo the first
//     only. The second tick is then ended by its next segment's
//     acknowledgement: too late by at most what is left of the tick.
//   - Segmentation offload (TSO, GSO) hands up to 64 KiB down as one packet.
//     It passes tc once, before the card cuts it, so the time that its
//     first byte waits in the card is in the round trip; receive offload (GRO)
//     holds packets back for microseconds before tc sees them. XDP sees
//     what arrives before GRO.
//   - Packets of VXLAN, Geneve and IP in IP are looked into, one tunnel deep:
//     at the card of a node whose plugin encapsulates, the connections of its
//     pods are seen as at their interfaces. What is encrypted is not seen.
//   - Addresses are those of the packet here. Behind kube-proxy or a plugin
//     that replaces it, a connection to a Service's address has the chosen
//     pod's address at the card, and the Service's at the client's interface.
//   - IP fragments after the first, IPv6 with extension headers, and VLAN tags
//     within the packet are not TCP to it.
//
// # Resolution
//
// Times are counted in buckets of at most 1/64 of their value; a quantile is
// the middle of its bucket, off by at most 1/128 ([Histogram]).
package rtt
