package plan_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/campaign"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
)

// rich is a plan in which no field is empty.
func rich(t *testing.T) plan.Plan {
	return expand(t, document(`
  tools: {image: tools:1}
  variants:
    - host
    - {variant: flannel-vxlan, kubeProxy: nftables, values: {MTU: 1400, bpf: {masquerade: true, maps: [1.5, x]}}, podTemplate: {spec: {a: b}}, namespaceLabels: {a: b}}
  scenarios: [{name: tcp-service-multi, streams: [1, 4]}]
  stop: {halfWidth: 1.5%, looks: [10, 11]}
  seed: 9007199254740993
  analysis: {aa: flannel-vxlan, primary: [tcp-service-multi.streams=1/throughput], margins: {throughput: 3%, retransmits: 5}}
`))
}

func TestHashIgnoresHowTheFileIsWritten(t *testing.T) {
	plain := expand(t, document(`  variants: [host, flannel-vxlan]
  scenarios: [{name: tcp-pod-single, duration: 60s}]
  analysis: {margins: {throughput: 3%, retransmits: 5}}
`))
	rewritten := expand(t, []byte(`# Another hand.
spec:
    analysis:
        margins:
            retransmits: 5   # the other way round
            throughput: 3.0%
    scenarios:
      - duration: "1m"

        name: 'tcp-pod-single'
    blocks: 10               # the default
    variants:
      - host
      - {as: flannel-vxlan, variant: flannel-vxlan}
metadata: {name: example}
kind: Campaign
apiVersion: cnibench.io/v1alpha1
`))
	if plain.Hash != rewritten.Hash {
		t.Errorf("hashes differ: %s and %s", plain.Hash, rewritten.Hash)
	}
}

func TestHashDependsOnTheSeed(t *testing.T) {
	quick := string(campaign.Quick())
	other := expand(t, []byte(strings.Replace(quick, "seed: 1", "seed: 2", 1)))
	if expand(t, []byte(quick)).Hash == other.Hash {
		t.Error("two seeds, one hash")
	}
}

// decode reads a plan back from its file.
func decode(t *testing.T, p plan.Plan) (plan.Plan, error) {
	t.Helper()
	data, err := json.MarshalIndent(p, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	return plan.Decode(data)
}

func TestDecodeAcceptsAPlanFromItsFile(t *testing.T) {
	p := rich(t)
	got, err := decode(t, p)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p, got); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
}

// Nothing that was measured is lost: the plans of version 1 can be read.
func TestDecodeReadsVersion1(t *testing.T) {
	data, err := os.ReadFile("testdata/v1.plan.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := plan.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	want := parameter.Values{"duration": "2s", "omit": "1s", "streams": "1", "placement": "cross-node"}
	if diff := cmp.Diff(want, got.Cells[0].Parameters); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Whatever value of a plan is changed, Decode notices.
func TestDecodeRefusesAnyChange(t *testing.T) {
	p := rich(t)
	leaves := leavesOf(t, "plan", reflect.ValueOf(&p).Elem())
	if len(leaves) < 40 {
		t.Fatalf("only %d values found in a plan", len(leaves))
	}
	for i := range leaves {
		p := rich(t)
		leaf := leavesOf(t, "plan", reflect.ValueOf(&p).Elem())[i]
		leaf.change()
		if _, err := decode(t, p); err == nil {
			t.Errorf("%s changed: accepted", leaf.name)
		}
	}
}

// leaf is one value inside a plan.
type leaf struct {
	name   string
	change func()
}

// leavesOf finds all values in v, in an order of its own but always the same.
func leavesOf(t *testing.T, name string, v reflect.Value) []leaf {
	t.Helper()
	var leaves []leaf
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return []leaf{{name, func() { v.Set(reflect.New(v.Type().Elem())) }}}
		}
		return leavesOf(t, name, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			leaves = append(leaves, leavesOf(t, name+"."+v.Type().Field(i).Name, v.Field(i))...)
		}
	case reflect.Slice:
		for i := range v.Len() {
			leaves = append(leaves, leavesOf(t, fmt.Sprintf("%s[%d]", name, i), v.Index(i))...)
		}
		leaves = append(leaves, leaf{name + " cut short", func() { v.SetLen(v.Len() - 1) }})
	case reflect.Map:
		for _, key := range v.MapKeys() {
			leaves = append(leaves, leaf{fmt.Sprintf("%s[%s]", name, key), func() { v.SetMapIndex(key, reflect.Zero(v.Type().Elem())) }})
		}
		slices.SortFunc(leaves, func(a, b leaf) int { return strings.Compare(a.name, b.name) })
	case reflect.String:
		leaves = append(leaves, leaf{name, func() { v.SetString(v.String() + "x") }})
	case reflect.Bool:
		leaves = append(leaves, leaf{name, func() { v.SetBool(!v.Bool()) }})
	case reflect.Int, reflect.Int64:
		leaves = append(leaves, leaf{name, func() { v.SetInt(v.Int() + 1) }})
	case reflect.Float64:
		leaves = append(leaves, leaf{name, func() { v.SetFloat(v.Float() / 2) }})
	case reflect.Uint64:
		leaves = append(leaves, leaf{name, func() { v.SetUint(v.Uint() - 1) }})
	default:
		t.Fatalf("%s: a plan has a %s: teach this test about it", name, v.Kind())
	}
	return leaves
}

func TestSealRefusesWhatJSONLacks(t *testing.T) {
	p := rich(t)
	p.Analysis.Margins["throughput"] = math.Inf(1)
	if _, err := plan.Seal(p); err == nil {
		t.Error("accepted")
	}
}

func TestDecodeRefusesAPlanWithoutHash(t *testing.T) {
	p := rich(t)
	p.Hash = ""
	if _, err := decode(t, p); err == nil {
		t.Error("accepted")
	}
}
