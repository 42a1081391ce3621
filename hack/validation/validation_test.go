package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cnibench/cnibench/hack/validation/blocks"
	"github.com/cnibench/cnibench/internal/campaign"
	"github.com/cnibench/cnibench/internal/scenario"
	"github.com/cnibench/cnibench/internal/stats"
)

// synthetic makes the table of a series: value says what the arm reaches in a
// block of a campaign.
func synthetic(k kind, value func(block, arm int) float64) blocks.Table {
	t := blocks.Table{Arms: k.names()}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for number := 1; number <= k.campaigns; number++ {
		for block := 1; block <= k.blocks; block++ {
			row := blocks.Row{Campaign: k.campaign(number), Block: block, Start: at, Order: k.names()}
			for arm := range k.arms {
				row.Values = append(row.Values, value(block, arm))
			}
			t.Rows = append(t.Rows, row)
			at = at.Add(3300 * time.Millisecond)
		}
	}
	return t
}

// Noise alone gives few alarms and no claims; the seed makes it the same noise
// every time.
func TestTwinsOfNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	j, err := judgeTwins(synthetic(aa, func(int, int) float64 { return 1e9 * math.Exp(0.02*r.NormFloat64()) }))
	if err != nil {
		t.Fatal(err)
	}
	if j.stats.Comparisons != wanted || len(j.ps) != wanted {
		t.Errorf("%d comparisons, want %d", j.stats.Comparisons, wanted)
	}
	if j.stats.Alarms.Share > 0.075 || j.stats.Claimed != 0 || j.stats.Uniformity.P < 0.01 {
		t.Errorf("noise: %+v", j.stats)
	}
	if said := j.text(0); strings.Contains(said, "missed") || strings.Contains(said, "Partial") {
		t.Errorf("the page says\n%s", said)
	}
	if j.blockTime != 3300*time.Millisecond {
		t.Errorf("a block takes %v, want 3.3 s", j.blockTime)
	}
}

// A twin that is measured second and drifts is found out: this is what the
// validation is there for.
func TestTwinsOfDrift(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	j, err := judgeTwins(synthetic(aa, func(_, arm int) float64 {
		return 1e9 * math.Exp(0.02*r.NormFloat64()+0.06*float64(arm))
	}))
	if err != nil {
		t.Fatal(err)
	}
	if j.stats.Alarms.Share <= 0.075 || j.stats.Claimed == 0 || j.stats.Uniformity.P > 0.01 {
		t.Errorf("drift of 6 %% went unnoticed: %+v", j.stats)
	}
	if said := j.text(0); strings.Count(said, "**missed**") != 3 {
		t.Errorf("the page says\n%s", said)
	}
}

func TestPartialDataSaysSo(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	whole := synthetic(aa, func(int, int) float64 { return 1e9 * math.Exp(0.02*r.NormFloat64()) })
	whole.Rows = whole.Rows[:100]
	j, err := judgeTwins(whole)
	if err != nil {
		t.Fatal(err)
	}
	// 48 blocks are eight comparisons; of the third campaign four are left.
	if said := j.text(0); !strings.Contains(said, fmt.Sprintf("Partial: 16 of %d", wanted)) || strings.Contains(said, "| met |") {
		t.Errorf("the page says\n%s", said)
	}
}

func TestShapedLinks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	table := synthetic(shaped, func(_, arm int) float64 { return float64(shaped.arms[arm].rate) * math.Exp(0.01*r.NormFloat64()) })
	f, err := judgeShaped(table)
	if err != nil {
		t.Fatal(err)
	}
	if f.reduced[stats.Worse] != shaped.campaigns || f.same[stats.Better]+f.same[stats.Worse] != 0 {
		t.Errorf("reduced %v, same %v", f.reduced, f.same)
	}
	said, err := f.text(10e9)
	if err != nil || strings.Contains(said, "missed") || strings.Contains(said, "Partial") {
		t.Errorf("%v; the page says\n%s", err, said)
	}
	table.Rows = table.Rows[:15]
	if f, err = judgeShaped(table); err != nil || len(f.whole) != 1 || f.begun != 1 {
		t.Errorf("%v; of one campaign and a half, %d are judged and %d begun", err, len(f.whole), f.begun)
	}
}

func TestCampaignFilesAreValid(t *testing.T) {
	var all scenario.Set
	found, err := all.Find("tcp-pod-single")
	if err != nil {
		t.Fatal(err)
	}
	known := campaign.Known{
		Variants:  []campaign.VariantInfo{{Name: "flannel-vxlan", Chart: true}},
		Scenarios: []campaign.ScenarioInfo{found.Info()},
	}
	for _, k := range kinds {
		c, err := campaign.Parse(k.name, []byte(k.file(7)), known)
		if err != nil {
			t.Errorf("%s: %v\n%s", k.name, err, k.file(7))
			continue
		}
		for i, v := range c.Spec.Variants {
			if shaped := strings.Contains(fmt.Sprint(v.Values), fmt.Sprintf(`"ingressRate":%d`, k.arms[i].rate)); shaped != (k.arms[i].rate > 0) {
				t.Errorf("%s: %s has values %v for a rate of %d", k.name, k.arms[i].name, v.Values, k.arms[i].rate)
			}
		}
	}
}

func TestPowerGrowsWithTheEffect(t *testing.T) {
	d := []float64{-0.03, -0.02, -0.01, 0.01, 0.015, 0.025}
	last := -1
	for _, effect := range []float64{0, 0.04, 0.08} {
		tally, err := simulate(d, 10, effect, 1)
		if err != nil {
			t.Fatal(err)
		}
		if tally[stats.Better] < last {
			t.Errorf("an effect of %v is found %d times, a smaller one %d times", effect, tally[stats.Better], last)
		}
		last = tally[stats.Better]
	}
	if last < powerSamples*9/10 {
		t.Errorf("8 %% at such a noise is found in %d of %d campaigns", last, powerSamples)
	}
}

func TestPlotIsXML(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	j, err := judgeTwins(synthetic(aa, func(int, int) float64 { return 1e9 * math.Exp(0.2*r.NormFloat64()) }))
	if err != nil {
		t.Fatal(err)
	}
	plot, err := j.plot()
	if err != nil {
		t.Fatal(err)
	}
	in := xml.NewDecoder(strings.NewReader(plot))
	for {
		if _, err := in.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// The page says what the tables in the repository say, and its plots are theirs:
// hack/validate.sh page.
func TestPageIsOfItsTables(t *testing.T) {
	root := filepath.Join("..", "..")
	s := settings{data: filepath.Join(root, "docs", "validation"), out: io.Discard}
	parts, err := evaluate(s)
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile(filepath.Join(root, "docs", "validation.md"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := fill(string(have), parts)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != want {
		t.Error("docs/validation.md is not of its tables: run hack/validate.sh page")
	}
	for _, p := range parts {
		if p.plot == "" {
			continue
		}
		if plot, err := os.ReadFile(filepath.Join(s.data, p.mark+".svg")); err != nil || string(plot) != p.plot {
			t.Errorf("%s.svg is not of its table: run hack/validate.sh page", p.mark)
		}
	}
}

func TestFillNeedsMarks(t *testing.T) {
	got, err := fill("x\n<!-- aa: how -->\nold\n<!-- end aa -->\ny\n", []part{{mark: "aa", text: "new\n"}})
	if want := "x\n<!-- aa: how -->\nnew\n<!-- end aa -->\ny\n"; err != nil || got != want {
		t.Errorf("%v, %q", err, got)
	}
	if _, err := fill("no marks", []part{{mark: "aa"}}); err == nil {
		t.Error("no error without marks")
	}
}
