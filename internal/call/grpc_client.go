package call

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// grpcClient calls over connections of its own, one per slot.
type grpcClient struct {
	connections []*grpc.ClientConn
	streams     []*stream // for [Stream]
	request     *wrapperspb.BytesValue
	response    int // bytes
}

func newGRPCClient(spec ClientSpec) (*grpcClient, error) {
	secured := insecure.NewCredentials()
	if spec.Certificate != "" {
		config, err := trusting(spec.Certificate)
		if err != nil {
			return nil, err
		}
		secured = credentials.NewTLS(config)
	}
	c := &grpcClient{request: wrapperspb.Bytes(make([]byte, spec.Pace.RequestBytes)), response: spec.Pace.ResponseBytes}
	for range spec.Pace.Connections {
		conn, err := grpc.NewClient("passthrough:///"+spec.Pace.Target, grpc.WithTransportCredentials(secured))
		if err != nil {
			c.close()
			return nil, err
		}
		c.connections = append(c.connections, conn)
		c.streams = append(c.streams, &stream{conn: conn})
	}
	return c, nil
}

func (c *grpcClient) close() {
	for _, conn := range c.connections {
		_ = conn.Close() // everything was read
	}
}

// unary makes one call with a stream of its own.
func (c *grpcClient) unary(ctx context.Context, slot int) error {
	var answer wrapperspb.BytesValue
	if err := c.connections[slot].Invoke(ctx, unaryMethod, c.request, &answer); err != nil {
		return err
	}
	return c.check(&answer)
}

// streamed sends a message and waits for the one that answers it.
func (c *grpcClient) streamed(ctx context.Context, slot int) error {
	answer, err := c.streams[slot].exchange(ctx, c.request)
	if err != nil {
		return err
	}
	return c.check(answer)
}

func (c *grpcClient) check(answer *wrapperspb.BytesValue) error {
	if size := len(answer.GetValue()); size != c.response {
		return fmt.Errorf("answer of %d bytes", size)
	}
	return nil
}

// stream is one in both directions, on which answers come in the order of
// their messages. It is opened when first needed and again after it broke.
type stream struct {
	conn    *grpc.ClientConn
	mutex   sync.Mutex // guards what follows
	open    grpc.ClientStream
	end     context.CancelFunc // of what is open
	waiting []chan arrival     // for answers, in order
}

// arrival is what came for a message.
type arrival struct {
	answer *wrapperspb.BytesValue
	err    error
}

func (s *stream) exchange(ctx context.Context, request *wrapperspb.BytesValue) (*wrapperspb.BytesValue, error) {
	came, err := s.send(ctx, request)
	if err != nil {
		return nil, err
	}
	select {
	case a := <-came:
		return a.answer, a.err
	case <-ctx.Done():
		return nil, ctx.Err() // its answer still comes, and nobody takes it
	}
}

// send sends a message and returns where its answer comes. A call that is given
// up before its message is on the way ends the stream for all: nothing passes.
func (s *stream) send(ctx context.Context, request *wrapperspb.BytesValue) (<-chan arrival, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err // while it waited for its turn
	}
	// The stream outlives the call that opens it.
	life := context.Background()
	if s.open == nil {
		life, s.end = context.WithCancel(life)
	}
	defer context.AfterFunc(ctx, s.end)()
	if s.open == nil {
		open, err := s.conn.NewStream(life, &streamDesc, streamMethod)
		if err != nil {
			s.end()
			return nil, err
		}
		s.open = open
		go s.receive(open)
	}
	if err := s.open.SendMsg(request); err != nil {
		return nil, errors.Join(errBroken, err)
	}
	came := make(chan arrival, 1)
	s.waiting = append(s.waiting, came)
	return came, nil
}

var errBroken = errors.New("stream broken")

// receive hands out the answers until the stream breaks, which everybody who
// waits is told.
func (s *stream) receive(open grpc.ClientStream) {
	for {
		answer := new(wrapperspb.BytesValue)
		err := open.RecvMsg(answer)
		s.mutex.Lock()
		if err != nil {
			for _, came := range s.waiting {
				came <- arrival{err: err}
			}
			s.end()
			s.waiting, s.open = nil, nil
			s.mutex.Unlock()
			return
		}
		if len(s.waiting) > 0 {
			s.waiting[0] <- arrival{answer: answer}
			s.waiting = s.waiting[1:]
		}
		s.mutex.Unlock()
	}
}
