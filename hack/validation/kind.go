package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// kind is a series of campaigns that are alike but for their seed.
type kind struct {
	name      string
	campaigns int
	blocks    int // of each
	arms      []arm
}

// arm is Flannel's VXLAN under a name, on a link of the given rate in bit/s; 0:
// as fast as it goes.
type arm struct {
	name string
	rate int
}

const (
	// margin is the smallest difference that matters, as a fraction.
	margin = 0.03
	// comparison is the number of blocks of an A/A comparison.
	comparison = 6
	// wanted is how many of those there shall be.
	wanted = 200
	// fullRate is R of the shaped links, in bit/s, and reducedRate 0.90 R.
	fullRate    = 1_000_000_000
	reducedRate = 900_000_000
)

// kinds are what is measured. An A/A campaign is eight comparisons, whose labs
// start once; a shaped one has R, R again, and 0.90 R in every block.
var kinds = []kind{aa, free, shaped}

var (
	aa     = kind{"aa", wanted / 8, 8 * comparison, []arm{{"a", fullRate}, {"b", fullRate}}}
	free   = kind{"free", wanted / 8, 8 * comparison, []arm{{"a", 0}, {"b", 0}}}
	shaped = kind{"shaped", 20, 10, []arm{{"full", fullRate}, {"same", fullRate}, {"reduced", reducedRate}}}
)

// campaign names one of the series, from 1.
func (k kind) campaign(number int) string { return fmt.Sprintf("%s-%02d", k.name, number) }

// names are those of the arms; the first is the base.
func (k kind) names() []string {
	var names []string
	for _, a := range k.arms {
		names = append(names, a.name)
	}
	return names
}

// file is the campaign file of one of the series.
func (k kind) file(number int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `apiVersion: cnibench.io/v1alpha1
kind: Campaign
metadata:
  name: validation-%s
spec:
  cluster:
    lab: {nodes: 2}
  variants:
`, k.campaign(number))
	for _, a := range k.arms {
		fmt.Fprintf(&b, "    - {variant: flannel-vxlan, as: %s%s}\n", a.name, a.values())
	}
	fmt.Fprintf(&b, `  scenarios:
    - {name: tcp-pod-single, duration: 1s, omit: 0s}
  blocks: %d
  freshCluster: false
  seed: %d
  analysis:
    base: %s
    primary: [tcp-pod-single/throughput]
    margins: {throughput: %.0f%%}
`, k.blocks, number, k.arms[0].name, 100*margin)
	return b.String()
}

// bucketTime is how much an idle token bucket holds, in time at its rate: that
// much more than the rate passes in a trial.
const bucketTime = 0.002

// values are Flannel's own with the bandwidth plugin at the end of the chain: a
// token bucket (tbf) on the node's end of every pod's veth, for what goes to the
// pod. Rates in the plugin's configuration, because the bucket of a pod that
// asks by annotation holds 4 Gbit.
func (a arm) values() string {
	if a.rate == 0 {
		return ""
	}
	conf, err := json.Marshal(map[string]any{
		"name": "cbr0", "cniVersion": "0.3.1",
		"plugins": []map[string]any{
			{"type": "flannel", "delegate": map[string]any{"hairpinMode": true, "isDefaultGateway": true}},
			{"type": "portmap", "capabilities": map[string]any{"portMappings": true}},
			{"type": "bandwidth", "ingressRate": a.rate, "ingressBurst": int(bucketTime * float64(a.rate))},
		},
	})
	if err != nil {
		panic(err) // strings, numbers and booleans
	}
	return fmt.Sprintf(", values: {flannel: {cniConf: %q}}", conf)
}
