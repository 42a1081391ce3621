// Package call makes calls over HTTP/1.1, HTTP/2, HTTP/3 and gRPC at a fixed
// rate, and answers them. The libraries are those that services use, Go's
// net/http, quic-go and grpc-go, and the clock is package pace's: the protocols
// differ, and nothing else does. It is a program of its own, cnibench-call,
// because these libraries would triple the size of the one in every pod.
package call
