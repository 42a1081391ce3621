// Package tunnel describes tunnels between a control plane and its nodes:
// configurations, command lines, and what their programs say. It starts
// nothing.
package tunnel

// Credentials are what one end of a tunnel proves itself with, and the
// authority that it trusts; all PEM.
type Credentials struct {
	Authority, Cert, Key []byte
}
