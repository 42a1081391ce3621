package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/cost"
)

var costFormats = map[string]func(io.Writer, cost.Costs, bool) error{
	"text": cost.Text, "md": cost.Markdown,
	"json": func(w io.Writer, c cost.Costs, _ bool) error { return cost.JSON(w, c) },
	"csv":  func(w io.Writer, c cost.Costs, _ bool) error { return cost.CSV(w, c) },
}

type costOptions struct {
	prices        priceFlags
	from, against string
	host, format  string
	cells         []string
	measuredNodes int
	formula       bool
}

// priceFlags are the flags of commands that reckon with prices.
type priceFlags struct {
	file, shape string
	nodes       int
	requests    float64
}

func newCost(s streams) *cobra.Command {
	var o costOptions
	cmd := &cobra.Command{
		Use:   "cost [DIR]",
		Short: "what each variant costs a month, and what another would save",
		Long: `cost prices what a campaign measured: the CPU and the memory that a plugin takes
of each node, less those of the host baseline in the same block, and a penalty
for a p99 above a promise, beside the nodes themselves and their operation. It
says how sure each sum is, what a variant saves against another, and from which
size of a cluster on. A saving that the noise may be all of is not called one,
and what was not measured is in no sum.

The default prices are those of a published article and not yours: --prices
takes a file of your own. docs/cost.md explains the model and the file.

--from prices the figures of a JSON file instead, as the article's calculator
does: an array of objects with name, version, p99_latency_us, throughput_gbps,
cpu_percent, memory_mb and node_count.

Exit status: 0 shown, 1 the directory cannot be read, 2 usage, such as prices
with a mistake in them.`,
		Example: `  cnibench cost results/monday
  cnibench cost results/monday --prices prices.yaml --against flannel-vxlan
  cnibench cost results/monday --nodes 40 --cell CPU=tcp-rr --formula
  cnibench cost results/monday --requests 5e9 --format md
  cnibench cost --from figures.json --formula`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return o.cost(s, args) },
	}
	f := cmd.Flags()
	o.prices.add(cmd)
	f.StringVar(&o.from, "from", "", "price the figures of `FILE` instead of a campaign")
	f.StringVar(&o.against, "against", "", "count savings from `VARIANT` (default: the first that is not the baseline)")
	f.StringVar(&o.host, "host", "", "count overheads from `VARIANT` (default: the one with the host network)")
	f.StringArrayVar(&o.cells, "cell", nil, "take `TERM=CELL` or TERM=CELL/METRIC; terms: CPU, memory, penalty, energy, throughput")
	f.IntVar(&o.measuredNodes, "measured-nodes", 0, "nodes `N` that CPU and memory of a trial are of (default: as the topology says)")
	f.BoolVar(&o.formula, "formula", false, "print every sum term by term, with units and the sources of the prices")
	f.StringVar(&o.format, "format", "text", "text, md, json or csv")
	return cmd
}

// add defines the flags.
func (p *priceFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&p.file, "prices", "", "read prices from `FILE` (default: those of a published article)")
	f.StringVar(&p.shape, "shape", "", "price nodes of shape `NAME` of the prices")
	f.IntVar(&p.nodes, "nodes", 0, "price a cluster of `N` nodes")
	f.Float64Var(&p.requests, "requests", 0, "price `N` requests a month to the whole cluster")
}

func (p priceFlags) given() bool { return p != priceFlags{} }

// read reads the prices, with what the flags change.
func (p priceFlags) read() (cost.Prices, error) {
	prices := cost.Default()
	if p.file != "" {
		data, err := os.ReadFile(p.file)
		if err != nil {
			return prices, usage(fmt.Errorf("--prices: %w", err), "give a file like examples/prices.yaml")
		}
		if prices, err = cost.ParsePrices(p.file, data); err != nil {
			return prices, usage(err, "")
		}
	}
	switch {
	case p.nodes < 0 || p.nodes > 1_000_000:
		return prices, usage(fmt.Errorf("--nodes: %d is not from 1 to 1000000", p.nodes), "give how many nodes the cluster has")
	case p.requests < 0 || p.requests > 1e15 || math.IsNaN(p.requests):
		return prices, usage(fmt.Errorf("--requests: %v is not from 0 to 1e15", p.requests), "give how many requests a month the cluster answers")
	}
	if p.nodes > 0 {
		prices.Nodes = p.nodes
	}
	if p.requests > 0 {
		prices.Workload.Requests = p.requests
		prices.Workload.Source = strings.TrimPrefix(prices.Workload.Source+"; the requests are those of --requests", "; ")
	}
	if p.shape != "" {
		chosen, err := prices.WithShape(p.shape)
		var wrong *cost.OptionError
		if errors.As(err, &wrong) {
			return prices, usage(err, "--shape: "+wrong.Hint())
		}
		return chosen, err
	}
	return prices, nil
}

func (o costOptions) cost(s streams, args []string) error {
	write, ok := costFormats[o.format]
	if !ok {
		return usage(fmt.Errorf("--format: unknown format %q", o.format), "use text, md, json or csv")
	}
	prices, err := o.prices.read()
	if err != nil {
		return err
	}
	var costs cost.Costs
	switch {
	case o.from != "":
		costs, err = o.figures(args, prices)
	case len(args) == 0:
		return usage(errors.New("there is nothing to price"), "give a results directory: `cnibench cost DIR`, or a file with figures: `cnibench cost --from FILE`")
	default:
		costs, err = o.campaign(s, args[0], prices)
	}
	var wrong *cost.OptionError
	switch {
	case errors.As(err, &wrong):
		return usage(err, wrong.Hint())
	case err != nil:
		return err
	}
	return write(s.out, costs, o.formula)
}

// figures prices a file of figures.
func (o costOptions) figures(args []string, prices cost.Prices) (cost.Costs, error) {
	switch {
	case len(args) > 0:
		return cost.Costs{}, usage(errors.New("--from takes the place of a results directory"), "leave "+args[0]+" or --from out")
	case o.host != "" || len(o.cells) > 0 || o.measuredNodes != 0:
		return cost.Costs{}, usage(errors.New("--host, --cell and --measured-nodes are about a campaign"), "leave them out with --from")
	case o.prices.nodes != 0:
		return cost.Costs{}, usage(errors.New("--nodes is about a campaign: each entry of the file says node_count"), "change node_count in "+o.from)
	}
	data, err := os.ReadFile(o.from)
	if err != nil {
		return cost.Costs{}, usage(fmt.Errorf("--from: %w", err), "give a JSON file with figures")
	}
	entries, err := cost.ParseEntries(o.from, data)
	if err != nil {
		return cost.Costs{}, usage(err, "")
	}
	return cost.Figures(o.from, entries, prices, o.against)
}

// campaign prices a results directory.
func (o costOptions) campaign(s streams, dir string, prices cost.Prices) (cost.Costs, error) {
	if o.measuredNodes < 0 {
		return cost.Costs{}, usage(fmt.Errorf("--measured-nodes: %d is below 1", o.measuredNodes), "give over how many nodes the figures are")
	}
	cells := map[string]string{}
	for _, text := range o.cells {
		term, cell, ok := strings.Cut(text, "=")
		if !ok || cell == "" {
			return cost.Costs{}, usage(fmt.Errorf("--cell: %q is not TERM=CELL", text), "write --cell CPU=CELL or --cell CPU=CELL/METRIC")
		}
		cells[term] = cell
	}
	a, _, err := readResults(s, dir)
	if err != nil {
		return cost.Costs{}, err
	}
	return cost.Campaign(a, prices, cost.Options{Against: o.against, Baseline: o.host, Cells: cells, Machines: o.measuredNodes})
}
