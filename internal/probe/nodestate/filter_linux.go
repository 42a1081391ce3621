package nodestate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// iptablesTools are the two implementations for both families: rules of one
// are invisible to the other.
var iptablesTools = []string{"iptables-nft", "iptables-legacy", "ip6tables-nft", "ip6tables-legacy"}

func readIPTables(ctx context.Context, n node, tool string) ([]found, error) {
	saved, err := n.run(ctx, "", tool+"-save")
	if err != nil {
		return nil, err
	}
	return bare(parseIPTables(tool, saved)), nil
}

func readNFTables(ctx context.Context, n node) ([]found, error) {
	listed, err := n.run(ctx, "", "nft", "-s", "list", "ruleset")
	if err != nil {
		return nil, err
	}
	all := bare(parseNFTables(listed))
	for i, f := range all {
		if f.Kind == NFTable {
			all[i].remove = func() error {
				_, err := n.run(ctx, "", append([]string{"nft", "delete", "table"}, strings.Fields(f.Name)...)...)
				return err
			}
		}
	}
	return all, nil
}

func readIPSets(ctx context.Context, n node) ([]found, error) {
	listed, err := n.run(ctx, "", "ipset", "list", "-t")
	if err != nil {
		return nil, err
	}
	all := bare(parseIPSets(listed))
	for i, f := range all {
		all[i].remove = func() error {
			_, err := n.run(ctx, "", "ipset", "destroy", f.Name)
			return err
		}
	}
	return all, nil
}

func bare(items []Item) []found {
	all := make([]found, len(items))
	for i, item := range items {
		all[i] = found{item, nil}
	}
	return all
}

// run runs a program: the one beside us or, where there is none, the node's.
func (n node) run(ctx context.Context, stdin string, argv ...string) (string, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	if errors.Is(cmd.Err, exec.ErrNotFound) && n.root != "/" {
		chroot := append([]string{n.root, argv[0]}, argv[1:]...)
		cmd = exec.CommandContext(ctx, "chroot", chroot...)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w %s", argv[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return stdout.String(), nil
}

// in is where a path of the node lies.
func in(root, path string) string { return filepath.Join(root, path) }
