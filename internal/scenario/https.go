package scenario

import (
	"context"

	"github.com/cnibench/cnibench/internal/call"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/stage"
)

var httpProtocol = parameter.Parameter{
	Name: "protocol", Kind: parameter.Choice, Default: []string{string(call.H1), string(call.H2), string(call.H3)},
	Choices: []string{string(call.H1), string(call.H2), string(call.H3)},
	Help:    "HTTP/1.1, HTTP/2, or HTTP/3 over QUIC",
}

func init() {
	register(Scenario{
		Name:    "https",
		Aliases: []string{"http3"},
		Title:   "latency of HTTP/1.1, HTTP/2 and HTTP/3 requests at a fixed rate",
		Description: "Requests over TLS 1.3 by one client in three versions of HTTP, so that versions can be compared on the same path. " + callDescription +
			"All versions have the same number of connections, and requests take them in turn: over HTTP/1.1 a request waits until the one before it on its connection is answered, " +
			"over HTTP/2 and HTTP/3 they share it. HTTP/3 is datagrams: it needs UDP on the path, and its encryption and acknowledgements are a program's work and not the kernel's, " +
			"but for the cutting of large messages where the kernel offers that. Scenario http has k6, plain text and many Services.",
		Metrics:    rrMetrics,
		Parameters: append([]parameter.Parameter{httpProtocol}, callParameters("500", "1KiB")...),
		Run: func(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
			protocol := call.Protocol(cell.Parameters.Text(httpProtocol.Name))
			return measureCalls(ctx, b, callsOf(protocol, true, cell.Parameters))
		},
	})
}
