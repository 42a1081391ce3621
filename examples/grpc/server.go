package main

import (
	"net"

	"google.golang.org/grpc"
)

func listen(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	s := grpc.NewServer()
	s.RegisterService(&echo, nil)
	return s.Serve(l)
}
