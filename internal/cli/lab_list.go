package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/lab"
)

func newLabList(s streams) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "list the labs on this machine",
		Long:    "list shows the labs on this machine and removes what crashed ones left.\n\nExit status: 0 shown, 1 labs could not be read, 2 usage.",
		Example: "  cnibench lab list",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			removed, err := lab.Recover()
			if err != nil {
				return err
			}
			for _, name := range removed {
				s.tell("removed what was left of lab %s\n", name)
			}
			labs, err := lab.List()
			if err != nil {
				return err
			}
			return printLabs(s.out, labs)
		},
	}
}

func printLabs(out io.Writer, labs []*lab.Lab) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tSTATE\tNODES\tMTU\tKUBE-PROXY\tPEERS\tRUNS\tKUBERNETES\tMEMORY\tAGE")
	for _, l := range labs {
		memory := "-"
		if bytes, err := l.MemoryBytes(); err == nil {
			memory = fmt.Sprintf("%d MiB", bytes>>20)
		}
		peers, err := l.Peers()
		if err != nil {
			return err
		}
		c := l.Config()
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", c.Name, l.State(), c.Nodes, c.MTU, c.KubeProxy, orDash(strings.Join(peers, ",")),
			orDash(c.Note), orDash(l.Versions()["kubernetes"]), memory, time.Since(l.Created()).Round(time.Second))
	}
	return w.Flush()
}
