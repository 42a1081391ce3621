// Package capture watches a node's link to other nodes: it recognises tunnels
// by their headers, counts packets by the tunnel that they travel in, and
// searches every byte for a canary, a random string that pods send to each
// other. What it sees is what really travels, whatever a plugin's settings say.
//
// Parsing and counting are pure and build everywhere; the packet socket is
// Linux's.
package capture
