package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// comparedWithin compares the variants of the synthetic campaign.
func comparedWithin(t testing.TB, o analysis.CompareOptions) analysis.Compared {
	t.Helper()
	p, trials := syntheticCampaign(syntheticVariants, 10)
	c, err := analysis.CompareWithin(p, trials, syntheticEnvironment(p), o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// comparedBetween compares a synthetic campaign with one on a newer kernel in
// which flannel-vxlan lost a tenth and cilium-kpr is missing.
func comparedBetween(t testing.TB) analysis.Compared {
	t.Helper()
	campaign := func(variants []syntheticVariant) analysis.Campaign {
		p, trials := syntheticCampaign(variants, 10)
		return analysis.Campaign{Plan: p, Trials: trials, Environment: syntheticEnvironment(p)}
	}
	a := campaign(syntheticVariants)
	slower := syntheticVariants[2]
	slower.gbits *= 0.9
	b := campaign([]syntheticVariant{syntheticVariants[0], slower})
	b.Plan.Name, b.Environment.Created = "synthetic: a newer kernel", b.Environment.Created.Add(72*time.Hour)
	b.Environment.Machine.Kernel = "6.19.0"
	for _, v := range b.Environment.Variants {
		for i := range v.Nodes {
			v.Nodes[i].Kernel = "6.19.0"
		}
	}
	for i := range b.Trials {
		for j := range b.Trials[i].Values {
			if v := &b.Trials[i].Values[j]; v.Name == "retransmits" {
				v.Unit = "segments/s"
			}
		}
	}
	c, err := analysis.CompareBetween(a, b, analysis.CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCompareGolden(t *testing.T) {
	within, pairs, between := comparedWithin(t, analysis.CompareOptions{}), comparedWithin(t, analysis.CompareOptions{AllPairs: true}), comparedBetween(t)
	pairs, err := pairs.Select([]string{"tcp-pod-single", "throughput", "retransmits"})
	if err != nil {
		t.Fatal(err)
	}
	brief := within.Brief()
	for _, test := range []struct {
		file  string
		write func(io.Writer) error
	}{
		{"compare-within.txt", func(w io.Writer) error { return CompareText(w, brief) }},
		{"compare-pairs.txt", func(w io.Writer) error { return CompareText(w, pairs) }},
		{"compare-pairs.md", func(w io.Writer) error { return CompareMarkdown(w, pairs) }},
		{"compare-pairs.csv", func(w io.Writer) error { return CompareCSV(w, pairs) }},
		{"compare-between.txt", func(w io.Writer) error { return CompareText(w, between) }},
		{"compare-between.md", func(w io.Writer) error { return CompareMarkdown(w, between.Brief()) }},
		{"compare-between.csv", func(w io.Writer) error { return CompareCSV(w, between) }},
	} {
		t.Run(test.file, func(t *testing.T) {
			wantGolden(t, test.file, test.write)
		})
	}
}

func TestCompareJSONHoldsEverything(t *testing.T) {
	for name, c := range map[string]analysis.Compared{"within": comparedWithin(t, analysis.CompareOptions{AllPairs: true}), "between": comparedBetween(t)} {
		var b bytes.Buffer
		if err := CompareJSON(&b, c); err != nil {
			t.Fatal(err)
		}
		var back analysis.Compared
		if err := json.Unmarshal(b.Bytes(), &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c, back); diff != "" {
			t.Errorf("%s (-written +read):\n%s", name, diff)
		}
	}
}

func TestCompareCSVHasEveryComparison(t *testing.T) {
	c := comparedBetween(t)
	var b bytes.Buffer
	if err := CompareCSV(&b, c); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := 1 + len(c.Omitted)
	for _, cell := range c.Cells {
		for _, m := range cell.Metrics {
			want += len(m.Rows)
		}
	}
	if len(rows) != want {
		t.Errorf("%d rows, want %d", len(rows), want)
	}
}

// An aborted campaign is compared, too: with nothing.
func TestCompareNothingMeasured(t *testing.T) {
	p := syntheticPlan(syntheticVariants, 10)
	empty := analysis.Campaign{Plan: p}
	within, err := analysis.CompareWithin(p, nil, result.Environment{}, analysis.CompareOptions{AllPairs: true})
	if err != nil {
		t.Fatal(err)
	}
	between, err := analysis.CompareBetween(empty, empty, analysis.CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]analysis.Compared{"within": within, "between": between} {
		for kind, write := range map[string]func(io.Writer, analysis.Compared) error{
			"text": CompareText, "Markdown": CompareMarkdown, "JSON": CompareJSON, "CSV": CompareCSV,
		} {
			var b bytes.Buffer
			if err := write(&b, c); err != nil {
				t.Errorf("%s, %s: %v", name, kind, err)
			}
			if !strings.Contains(b.String(), "no trial has a result") {
				t.Errorf("%s, %s does not say that there is no result:\n%s", name, kind, b.String())
			}
		}
	}
}

// The twin has a row against what it repeats, and runs that are no blocks are
// not called pairs.
func TestCompareTwinsAndImports(t *testing.T) {
	p, trials := syntheticCampaign(syntheticVariants, 10)
	p.Analysis.AA = &plan.Twin{Variant: "host", Name: "flannel-host-gw"}
	twin, err := analysis.CompareWithin(p, trials, syntheticEnvironment(p), analysis.CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p, trials = syntheticCampaign(syntheticVariants, 10)
	p.Imported = &plan.Imported{Format: "csv", Source: "numbers.csv"}
	imported, err := analysis.CompareWithin(p, trials, result.Environment{Topology: "imported"}, analysis.CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]analysis.Compared{
		" vs host, equivalent": twin,
		"compared: each variant with host, as independent samples": imported,
	} {
		var b bytes.Buffer
		if err := CompareText(&b, c); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, b.String())
		}
	}
}

func TestShortDigest(t *testing.T) {
	for value, want := range map[string]string{
		"sha256:0123456789abcdef": "sha256:0123456789ab", "v1@sha256:0123456789abcdef": "v1@sha256:0123456789ab", "sha256:12": "sha256:12", "none": "none",
		"a@sha256:0123456789abcdef, b@sha256:fedcba9876543210": "a@sha256:0123456789ab, b@sha256:fedcba987654",
	} {
		if got := shortDigest(value); got != want {
			t.Errorf("%s: %s, want %s", value, got, want)
		}
	}
}
