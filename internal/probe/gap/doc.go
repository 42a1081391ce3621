// Package gap finds interruptions of a stream of numbered packets by what its
// receiver sees, and by nothing else.
//
// # What a gap is
//
// A silence is the time between two arrivals that follow each other. A gap is a
// silence less the interval at which packets are due, so that a stream without
// a fault has gaps of nothing, give or take its jitter. A gap may have lost
// packets, or only delayed them: what waited in a queue and came in a burst
// was as absent as what was dropped.
//
// All times are those of one clock, the receiver's. Nothing depends on how the
// clocks of two machines differ.
//
// A sender that pauses makes a gap, too. It reports its pauses by its own
// clock, each with the number of the packet that came late, and a gap is
// shortened by the pause that fell on its beginning: for so long nobody could
// tell whether the network carried packets. A pause inside a gap, whose packets
// are lost anyway, changes nothing.
//
// # Before and after
//
// A mark parts the stream in two: what was going on before something happened
// shows what gaps this path has anyway. A silence counts where it ends, so that
// one that the mark falls into counts after it. A packet belongs to the part in
// which it was due, by its number, however late it came.
package gap
