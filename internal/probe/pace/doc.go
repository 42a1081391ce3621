// Package pace sends requests at times that are fixed beforehand and measures
// how long the answers take: an open-loop client, and the server that answers
// it.
//
// A client that waits for an answer before it sends the next request asks
// fewer questions of a slow server than of a fast one, and the slow moments are
// missing in its percentiles (coordinated omission; Tene, "How NOT to Measure
// Latency", 2013). So every request has an intended time, and its response time
// counts from there, whenever it was really sent. The service time, from the
// real sending, is kept beside it.
//
// One thread does all of a client's work, another all of a server's, each with
// an epoll of its own: Go's network poller rounds timers up to a millisecond,
// and an answer would pass through two goroutines before anybody looks at the
// clock. What decides and counts is pure and builds everywhere; sockets are
// Linux's.
package pace
