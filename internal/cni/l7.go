package cni

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/cnibench/cnibench/internal/cluster"
)

// dataplane is the role of agents' pods through which traffic goes.
const dataplane = "dataplane"

// LacksL7 says why policies on HTTP requests are not enforced here: the plugin
// has none, or what enforces them is not there. It is empty where they are,
// and where nobody can tell.
func LacksL7(ctx context.Context, c *cluster.Cluster, e Entry) (string, error) {
	if !strings.Contains(e.Enforces.L7, "HTTP") {
		return fmt.Sprintf("%s enforces no policies on HTTP requests", e.Name), nil
	}
	argv := strings.Fields(e.Enforces.L7Exec)
	if len(argv) == 0 {
		return "", nil
	}
	pods, err := Agents(ctx, c, e.dataplane())
	if err != nil {
		return "", err
	}
	for _, p := range pods {
		if err := c.Exec(ctx, p, argv, nil, io.Discard, io.Discard); !programMissing(err) {
			return "", ctx.Err() // it is there, or we may not look
		}
	}
	return fmt.Sprintf("none of %s's %d pods has the program %s, which enforces policies on HTTP requests", e.Plugin.Name, len(pods), argv[0]), nil
}

// dataplane is the entry with those agents only through which traffic goes.
func (e Entry) dataplane() Entry {
	only := e
	only.Agents = nil
	for _, a := range e.Agents {
		if a.Role == dataplane {
			only.Agents = append(only.Agents, a)
		}
	}
	return only
}

// programMissing tells whether an exec failed for want of the program: runc
// says `exec: "NAME": executable file not found in $PATH`, crun
// `executable file NAME not found in $PATH`.
func programMissing(err error) bool {
	return err != nil && strings.Contains(err.Error(), "executable file") && strings.Contains(err.Error(), "not found")
}
