package report

import (
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/result"
)

// oddNames are names that no page may stumble over.
var oddNames = []string{`<b onclick="alert('1')">bold</b> & "quoted"`, "🚀 rocket 🐧 ünïcödé", "two\nlines\tand a tab", strings.Repeat("long", 50)}

// oddCampaign is one whose pages must be sensible though it is not what anybody
// planned.
type oddCampaign struct {
	name   string
	source Source
}

// oddCampaigns are in the order in which they are looked at.
func oddCampaigns(t *testing.T) []oddCampaign {
	t.Helper()
	nothing := func(*result.Trial) {}
	of := func(variants, blocks int, change func(*result.Trial)) Source {
		return campaignOf(t, variants, blocks, change)
	}
	list := []oddCampaign{
		{"names", oddlyNamed(t)},
		{"one-variant", of(1, 8, nothing)},
		{"one-block", of(3, 1, nothing)},
		{"no-baseline", of(3, 8, func(r *result.Trial) {
			if r.Variant == "host" {
				fail(r, result.Failed, "server pod was not ready")
			}
		})},
		{"all-failed", of(3, 8, func(r *result.Trial) { fail(r, result.Failed, `exit status 1: <b>"no route"</b>`) })},
		{"one-value", of(3, 8, func(r *result.Trial) {
			if r.Block > 1 || r.Variant == "flannel-vxlan" {
				fail(r, result.Failed, "killed")
			}
		})},
		{"huge-and-tiny", of(3, 8, func(r *result.Trial) {
			for i := range r.Values {
				switch r.Values[i].Name {
				case "throughput":
					r.Values[i].Value *= 1e9
				case "rtt":
					r.Values[i].Value *= 1e-9
				}
			}
		})},
		{"half-finished", of(4, 8, func(r *result.Trial) {
			if r.Block > 4 || r.Block == 4 && r.Position > 2 {
				r.Block = 0
			}
		})},
	}
	for i := range list {
		choice := syntheticRankings(t, list[i].source.Analysis)
		list[i].source.Rankings, list[i].source.Decision = choice.Rankings, choice.Decision
	}
	return list
}

// oddlyNamed has odd names wherever a campaign has names of its own.
func oddlyNamed(t *testing.T) Source {
	t.Helper()
	variants := []syntheticVariant{syntheticVariants[0]}
	for i, name := range oddNames {
		v := syntheticVariants[1+i%3]
		v.name = name
		variants = append(variants, v)
	}
	p, trials := syntheticCampaign(variants, 8)
	renamed := map[string]string{}
	for i, name := range oddNames[2:] {
		renamed[p.Cells[i].ID] = name
		p.Cells[i].ID = name
		p.Analysis.Primary[i] = name + "/throughput"
	}
	for _, b := range p.Blocks {
		for i := range b.Cells {
			b.Cells[i] = renamed[b.Cells[i]]
		}
	}
	for i := range trials {
		trials[i].Cell = renamed[trials[i].Cell]
	}
	p.Name = strings.Join(oddNames, " ")
	env := syntheticEnvironment(p)
	a, err := analysis.Analyze(p, trials, env)
	if err != nil {
		t.Fatal(err)
	}
	return Source{
		Analysis: a, Environment: env, Series: syntheticSeries(trials, 1), Campaign: []byte("kind: Campaign # " + p.Name),
	}
}

// Every odd campaign has a page that holds to what every page owes its readers.
func TestPagesOfOddCampaigns(t *testing.T) {
	for _, c := range oddCampaigns(t) {
		t.Run(c.name, func(t *testing.T) {
			page := render(t, c.source)
			page.check(t)
			for _, name := range oddNames[:1] {
				if strings.Contains(page.text, name) {
					t.Errorf("the page has the markup %s", name)
				}
			}
		})
	}
}
