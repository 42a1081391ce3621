package probe

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"io"

	"github.com/cnibench/cnibench/internal/probe/nodestate"
	"github.com/cnibench/cnibench/internal/probe/procfs"
)

// nodeCommand reads a node's state or removes what a plugin left on it.
func nodeCommand(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	what, args := shift(args)
	switch what {
	case "-h", "-help", "--help":
		return flag.ErrHelp
	case "state", "clean":
	default:
		return &usageError{"node does not know " + procfs.Quote(what), "give one of node state, node clean"}
	}
	root := "/"
	err := parseFlags("node "+what, args, func(f *flag.FlagSet) { f.StringVar(&root, "root", root, "") })
	if err != nil {
		return err
	}
	if what == "state" {
		var spec NodeStateSpec
		if err := ReadSpec(bufio.NewReader(stdin), &spec); err != nil {
			return err
		}
		return WriteFrame(stdout, FrameNodeState, nodestate.Read(ctx, root, spec.Paths))
	}
	var spec NodeCleanSpec
	if err := json.NewDecoder(stdin).Decode(&spec); err != nil {
		return &usageError{"reading the specification: " + err.Error(), "give JSON on stdin"}
	}
	return WriteFrame(stdout, FrameNodeCleaned, nodestate.Clean(ctx, root, spec.Before, spec.Leftovers))
}
