package call

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// The service, which a .proto file would describe as: rpc Call(BytesValue)
// returns (BytesValue); rpc Converse(stream BytesValue) returns (stream
// BytesValue).
const (
	serviceName  = "cnibench.Echo"
	unaryMethod  = "/" + serviceName + "/Call"
	streamMethod = "/" + serviceName + "/Converse"
)

var streamDesc = grpc.StreamDesc{StreamName: "Converse", Handler: converse, ClientStreams: true, ServerStreams: true}

// answering answers every message with the same one.
type answering interface{ answer() *wrapperspb.BytesValue }

var serviceDesc = grpc.ServiceDesc{
	ServiceName: serviceName, HandlerType: (*answering)(nil),
	Methods: []grpc.MethodDesc{{MethodName: "Call", Handler: unary}},
	Streams: []grpc.StreamDesc{streamDesc},
}

func unary(server any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	if err := decode(new(wrapperspb.BytesValue)); err != nil {
		return nil, err
	}
	return server.(answering).answer(), nil
}

func converse(server any, stream grpc.ServerStream) error {
	for {
		err := stream.RecvMsg(new(wrapperspb.BytesValue))
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = stream.SendMsg(server.(answering).answer())
		}
		if err != nil {
			return err
		}
	}
}

// grpcAnswers is the service.
type grpcAnswers struct {
	response *wrapperspb.BytesValue
	requests *atomic.Int64
}

func (a grpcAnswers) answer() *wrapperspb.BytesValue {
	a.requests.Add(1)
	return a.response
}
