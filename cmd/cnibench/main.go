// Command cnibench measures Kubernetes network plugins; see the README.
package main

import (
	"os"

	"github.com/cnibench/cnibench/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
