package probe

import (
	"context"
	"fmt"
	"net"
	"time"
)

// ReachDNS asks one DNS server (HOST:PORT) for the addresses of a name, over
// UDP, within timeout.
func ReachDNS(ctx context.Context, server, name string, timeout time.Duration) Reach {
	result := Reach{Target: server}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	start := time.Now()
	resolver := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, server)
	}}
	addresses, err := resolver.LookupHost(ctx, name)
	if err != nil {
		result.Reason, result.Error = reachReason(err), fmt.Sprintf("looking up %s: %v", name, err)
		return result
	}
	result.Reached, result.Remote = true, fmt.Sprint(addresses)
	result.EchoSeconds = time.Since(start).Seconds()
	return result
}
