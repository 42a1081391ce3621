package scenario

import (
	"crypto/sha256"
	"fmt"

	"github.com/cnibench/cnibench/internal/parameter"
)

// Whose network an end of a load uses: that of a pod of its own, or its node's.
const (
	InPod  = "pod"
	OnHost = "host"
)

// Ends asks a stage for the two ends of a load.
type Ends struct {
	Client, Server string // InPod or OnHost; empty means InPod
	Placement      string // CrossNode or SameNode
	// Image is what both pods run; empty means the tools image.
	Image string
}

// endsOf reads the ends from a scenario's parameters. What it does not declare
// is as in most: two pods on different nodes.
func endsOf(v parameter.Values) Ends {
	e := Ends{Client: InPod, Server: InPod, Placement: CrossNode}
	for _, field := range []struct {
		name  string
		value *string
	}{{clientEnd.Name, &e.Client}, {serverEnd.Name, &e.Server}, {placement.Name, &e.Placement}} {
		if v.Has(field.name) {
			*field.value = v.Text(field.name)
		}
	}
	return e
}

// resolve fills in what is left open. Where all load uses the nodes' network,
// as the host baseline's does, so do both ends.
func (e Ends) resolve(hostNetwork bool) Ends {
	for _, end := range []*string{&e.Client, &e.Server} {
		switch {
		case hostNetwork:
			*end = OnHost
		case *end == "":
			*end = InPod
		}
	}
	return e
}

// podNames are those of the client's and the server's pod. A client serves
// both placements.
func (e Ends) podNames() (client, server string) {
	suffix := ""
	if e.Image != "" {
		suffix = fmt.Sprintf("-%x", sha256.Sum256([]byte(e.Image)))[:9]
	}
	return "client-" + e.Client + suffix, "server-" + e.Server + "-" + e.Placement + suffix
}
