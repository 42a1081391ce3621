// Package web is what HTTP load is aimed at: a server that gives everybody the
// same answer and, as a control experiment, holds answers back for a known
// time; and the proof that such servers are reached.
//
// The server speaks as much of HTTP/1.1 as load generators need (RFC 9112):
// requests without a body, on connections that stay open. Go's own server would
// double the size of the program that runs in every pod.
package web
