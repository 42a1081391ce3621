package cost

import (
	_ "embed" // for the default prices
	"fmt"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/document"
)

// HoursPerMonth is what a month has on average: 8760 / 12.
const HoursPerMonth = 730

const secondsPerMonth = HoursPerMonth * 3600

// Prices is what a cluster costs. A section that is nil is no part of the sum.
type Prices struct {
	Currency string `json:"currency"`
	// Nodes is the size of the cluster, and Shape the name of what all its
	// nodes are.
	Nodes      int         `json:"nodes"`
	Shape      string      `json:"shape"`
	Shapes     []Shape     `json:"shapes"`
	CPU        *Rate       `json:"cpu,omitempty"`    // per vCPU and month
	Memory     *Rate       `json:"memory,omitempty"` // per GiB and month
	Operations *Operations `json:"operations,omitempty"`
	Penalty    *Penalty    `json:"penalty,omitempty"`
	Energy     *Energy     `json:"energy,omitempty"`
	Workload   Workload    `json:"workload"`
	// Origin says where the prices are from, for a reader.
	Origin string `json:"origin"`
}

// Shape is a kind of node with its price per month.
type Shape struct {
	Name   string  `json:"name"`
	Price  float64 `json:"price"`
	VCPUs  float64 `json:"vCPUs"`
	Memory float64 `json:"memoryGiB"`
	Source string  `json:"source"`
}

// Rate is a price with its source.
type Rate struct {
	Price  float64 `json:"price"`
	Source string  `json:"source"`
}

// Operations is the work of people, as a share of the price of the nodes.
type Operations struct {
	Share  float64 `json:"share"` // 0.1 is 10 %
	Source string  `json:"source"`
}

// Per says of what a penalty is a price.
type Per string

// What a penalty may be per.
const (
	ClusterMonth    Per = "cluster-month"
	NodeMonth       Per = "node-month"
	MillionRequests Per = "million-requests"
)

// Penalty is the price of every millisecond by which the 99th percentile of
// the latency exceeds the threshold.
type Penalty struct {
	Threshold float64 `json:"threshold"` // seconds
	Price     float64 `json:"price"`     // per millisecond and Per
	Per       Per     `json:"per"`
	Source    string  `json:"source"`
}

// Energy prices the energy of what the plugin does. WattsPerVCPU estimates it
// from the CPU overhead where no energy was measured; 0: it is not estimated.
type Energy struct {
	Price        float64 `json:"price"`          // per kWh
	GramsCO2     float64 `json:"gCO2,omitempty"` // per kWh
	WattsPerVCPU float64 `json:"wattsPerVCPU,omitempty"`
	Source       string  `json:"source"`
}

// Workload is what the cluster has to carry; 0: nobody said.
type Workload struct {
	Gbit     float64 `json:"gbitPerSecond,omitempty"`    // Gbit/s that every node sends
	Requests float64 `json:"requestsPerMonth,omitempty"` // of the whole cluster
	Source   string  `json:"source,omitempty"`
}

//go:embed prices.yaml
var defaultPrices []byte

// DefaultFile is the file of the default prices.
func DefaultFile() []byte { return slices.Clone(defaultPrices) }

// Default returns the prices of the published calculator.
func Default() Prices {
	p, err := ParsePrices("prices.yaml", defaultPrices)
	if err != nil {
		panic(err) // it is embedded, and a test reads it
	}
	p.Origin = "the default prices, which are those of a published article and not yours"
	return p
}

// Node returns the shape of the cluster's nodes.
func (p Prices) Node() Shape {
	i := slices.IndexFunc(p.Shapes, func(s Shape) bool { return s.Name == p.Shape })
	return p.Shapes[i]
}

// WithShape chooses another shape of the same file. Its error is an
// *OptionError.
func (p Prices) WithShape(name string) (Prices, error) {
	var names []string
	for _, s := range p.Shapes {
		names = append(names, s.Name)
		if s.Name == name {
			p.Shape = name
			return p, nil
		}
	}
	return p, &OptionError{fmt.Sprintf("the prices have no shape %q", name), document.DidYouMean(name, names, "there are "+strings.Join(names, ", "))}
}
