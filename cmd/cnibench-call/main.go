// Cnibench-call makes and answers calls over HTTP and gRPC in pods; see package
// call.
package main

import (
	"os"

	"github.com/cnibench/cnibench/internal/call"
)

func main() {
	os.Exit(call.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
