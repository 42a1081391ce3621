package scenario

import (
	"context"

	"github.com/cnibench/cnibench/internal/call"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/stage"
)

// Parameters of gRPC alone.
var (
	grpcKind = parameter.Parameter{
		Name: "kind", Kind: parameter.Choice, Default: []string{"unary", "stream"}, Choices: []string{"unary", "stream"},
		Help: "a call each, or messages on a stream that stays open on each connection",
	}
	grpcTLS = parameter.Parameter{
		Name: "tls", Kind: parameter.Boolean, Default: []string{"false"}, Help: "over TLS 1.3; otherwise in plain text, as inside of a mesh",
	}
)

func init() {
	register(Scenario{
		Name:  "grpc",
		Title: "latency of gRPC calls at a fixed rate, unary and streaming",
		Description: "Calls of a service that takes bytes and answers with bytes, by grpc-go at both ends. " + callDescription +
			"Unary, each call is a stream of its own on a connection that all share; streaming, a call is a message on a stream in both directions and its answer the message that comes back.",
		Metrics:    rrMetrics,
		Parameters: append([]parameter.Parameter{grpcKind, grpcTLS}, callParameters("500", "1KiB")...),
		Run: func(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
			protocol := map[string]call.Protocol{"unary": call.Unary, "stream": call.Stream}[cell.Parameters.Text(grpcKind.Name)]
			return measureCalls(ctx, b, callsOf(protocol, cell.Parameters.Boolean(grpcTLS.Name), cell.Parameters))
		},
	})
}
