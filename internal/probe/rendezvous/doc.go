// Package rendezvous lets two machines begin at the same moment, without
// comparing their clocks: the server measures the round trip to the client and
// says «in so much time from now», less half of it. A stranger who connects
// can do no more than a client can: start, and abort. No message holds a
// command, a path or data.
package rendezvous
