// Command grpc-echo is a gRPC server that echoes bytes, and a client that calls
// it at a fixed rate: an example of a load of one's own for cnibench.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

const method = "/cnibench.example.Echo/Call"

func main() {
	serve := flag.String("serve", "", "serve on `ADDRESS`")
	var c client
	flag.StringVar(&c.address, "call", "", "call the server at `ADDRESS`")
	flag.DurationVar(&c.duration, "duration", 0, "how long calls are counted")
	flag.DurationVar(&c.omit, "omit", 0, "how long before that they are not")
	flag.IntVar(&c.rate, "rate", 100, "calls per second")
	flag.IntVar(&c.connections, "connections", 1, "connections, used in turn")
	flag.IntVar(&c.size, "size", 0, "bytes of a request and of its answer")
	flag.Parse()
	var err error
	switch {
	case *serve != "":
		err = listen(*serve)
	case c.address != "":
		err = c.run(os.Stdout)
	default:
		err = fmt.Errorf("give -serve or -call")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "grpc-echo:", err)
		os.Exit(1)
	}
}

// echo is the service: one method that returns what it gets. It is written out
// here because a generated one would be longer than the rest.
var echo = grpc.ServiceDesc{
	ServiceName: "cnibench.example.Echo",
	HandlerType: (*any)(nil),
	Methods: []grpc.MethodDesc{{
		MethodName: "Call",
		Handler: func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			var in wrapperspb.BytesValue
			return &in, decode(&in)
		},
	}},
}
