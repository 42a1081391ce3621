// Package stream offers UDP datagrams at a steady rate and counts which of
// them arrive. One sender and one receiver serve a whole search for a rate:
// they stay, and each trial is an order to both, so that no process starts
// within what is measured.
//
// # What a datagram is
//
// Every datagram is one packet and one Ethernet frame: it is sent with the
// don't-fragment bit and without segmentation offload, which would carry many
// datagrams through a network as if they were one packet. It holds the
// search's key, the number of its trial and its own number in its stream, so
// that what comes late from one trial is not counted in the next, and lost,
// repeated and overtaken datagrams are told apart.
//
// # Sizes and rates
//
// Sizes are those of Ethernet frames from the destination address to the frame
// check sequence, both included, as in RFC 2544 section 9 and FD.io CSIT:
// UDP payload, UDP header 8, IP header 20 (40 for IPv6), Ethernet header 14
// and check sequence 4. Preamble, start delimiter and the gap between frames,
// 20 bytes that physical links need besides, are not counted. A rate in bits
// per second is frames per second × size × 8. What is counted travels on the
// link of the sender's network namespace: a tunnel's own headers are outside.
// A virtual link has no check sequence; its 4 bytes are counted all the same,
// so that figures compare with those of physical links.
//
// # Pace and its limits
//
// Datagram k is due at k / rate. The sender sleeps between datagrams, at least
// 50 µs, and sends what has become due meanwhile in one system call, at most
// 64 at once. Hence bursts, as long as a machine's timers make them; [Sent]
// has the longest. When the sender comes late (its thread did not run), it
// makes up for a millisecond or 16 datagrams at most, because a longer burst
// would test a buffer rather than a rate: it sends the rest later, and the
// trial takes longer than it should. [Sent] has the time it took, so that the
// rate which was really offered is known.
//
// The receiver counts what its sockets had no room for, so that loss in our
// receiver is told from loss in the network.
//
// # Interruptions
//
// A receiver that is asked for gaps (package gap) notes when each datagram
// arrived: by the kernel's stamp, SO_TIMESTAMPNS (socket(7)), so that it does
// not matter when the receiver's thread runs. The stamp is of the wall clock.
// What is taken of it is the datagram's age as it is read, from which the
// monotonic clock has the arrival: a wall clock that is set meanwhile moves
// nothing.
package stream
