package probe

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// relayTimeout bounds a connection attempt. What it leads to is on the node.
const relayTimeout = 2 * time.Second

// relayCommand is a way into the network namespace that it runs in. What is
// said through it is not its business, so that it needs no HTTP and no TLS.
func relayCommand(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	var addresses []string
	for len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		addresses, args = append(addresses, args[0]), args[1:]
	}
	if err := parseFlags("relay", args, func(*flag.FlagSet) {}); err != nil {
		return err
	}
	if len(addresses) == 0 {
		return &usageError{"relay needs an address", "give HOST:PORT"}
	}
	conn, err := firstOf(ctx, addresses)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // everything has been copied by then
	go func() {
		_, _ = io.Copy(conn, stdin) // the answer shows what was missing
		_ = conn.CloseWrite()
	}()
	if _, err := io.Copy(stdout, conn); err != nil {
		return fmt.Errorf("relaying from %s: %w", conn.RemoteAddr(), err)
	}
	return nil
}

// firstOf connects to the first address that takes a connection.
func firstOf(ctx context.Context, addresses []string) (*net.TCPConn, error) {
	dialer := net.Dialer{Timeout: relayTimeout}
	var errs []error
	for _, address := range addresses {
		conn, err := dialer.DialContext(ctx, "tcp", address)
		if err == nil {
			return conn.(*net.TCPConn), nil
		}
		errs = append(errs, err)
	}
	return nil, fmt.Errorf("connecting: %w", errors.Join(errs...))
}
