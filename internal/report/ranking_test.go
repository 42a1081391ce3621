package report

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/profile"
)

// syntheticProfiles are a need that the synthetic campaign measures, one of
// which half is missing, and one that it says nothing about.
var syntheticProfiles = []string{`
apiVersion: cnibench.io/v1alpha1
kind: Profile
metadata: {name: fast}
title: as fast as can be, at <little> cost
description: Throughput first.
sources: ["made up"]
needs: {wants: [network-policy, cli]}
weights:
  - {what: throughput of one stream, weight: 3, of: {scenario: tcp-pod-single, metric: throughput}}
  - {what: throughput of eight, weight: 2, of: {scenario: tcp-pod-multi, metric: throughput, where: {streams: ">= 8"}}}
  - {what: CPU per Gbit/s, weight: 1, of: {scenario: tcp-pod-single, metric: cpu-per-gbit}}
`, `
apiVersion: cnibench.io/v1alpha1
kind: Profile
metadata: {name: small}
title: small
needs: {requires: [encryption]}
weights:
  - {what: memory, weight: 1, margin: 64MiB, of: {scenario: tcp-pod-single, metric: memory-overhead}}
  - {what: packets, weight: 1, of: {scenario: udp-zero-loss, metric: ndr}}
`, `
apiVersion: cnibench.io/v1alpha1
kind: Profile
metadata: {name: far}
title: several clusters
weights:
  - {what: throughput between clusters, weight: 1, lacking: no scenario spans two clusters}
`}

var syntheticTraits = []profile.Traits{
	{Variant: "host", Baseline: true, DataPlane: profile.Fact{Value: "the nodes' own network"}},
	{
		Variant: "flannel-vxlan", DataPlane: profile.Fact{Value: "kernel routing, vxlan", Source: "made up", Date: "2026-08-30"},
		Features: map[string]profile.Feature{
			"network-policy": {State: profile.Unmet, Fact: profile.Fact{Value: "none", Source: "made up"}}, "encryption": {State: profile.Met},
		},
	},
	{
		Variant: "cilium-kpr", Kernel: profile.Fact{Value: "4.19.57", Source: "https://example.org/?a=1&b=2", Date: "2026-08-30"},
		Features: map[string]profile.Feature{
			"network-policy": {State: profile.Met}, "cli": {State: profile.Met, Fact: profile.Fact{Value: "cilium"}}, "encryption": {State: profile.Met},
		},
	},
}

// syntheticRankings ranks the synthetic campaign.
func syntheticRankings(t testing.TB, a analysis.Analysis) Rankings {
	t.Helper()
	r := Rankings{Decision: profile.Decide(a, syntheticTraits, nil)}
	for _, text := range syntheticProfiles {
		p, err := profile.Parse("synthetic", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		ranked, err := profile.Rank(p, a, syntheticTraits)
		if err != nil {
			t.Fatal(err)
		}
		r.Rankings = append(r.Rankings, ranked)
	}
	return r
}

func TestRankingGolden(t *testing.T) {
	a, env, _ := synthetic(t)
	r := syntheticRankings(t, a)
	brief := r
	brief.Brief = true
	for _, test := range []struct {
		file  string
		write func(io.Writer) error
	}{
		{"ranking.txt", func(w io.Writer) error { return RankingText(w, r.Rankings[0]) }},
		{"ranking.md", func(w io.Writer) error { return RankingMarkdown(w, r.Rankings[1]) }},
		{"choice.txt", func(w io.Writer) error { return ChoiceText(w, r) }},
		{"choice.md", func(w io.Writer) error { return ChoiceMarkdown(w, brief) }},
		{"choice.html", func(w io.Writer) error {
			s := Source{Analysis: a, Environment: env, Rankings: r.Rankings, Decision: r.Decision}
			p, err := newPage(s)
			if err != nil {
				return err
			}
			tmpl, err := pageTemplate(a)
			if err != nil {
				return err
			}
			if err := tmpl.ExecuteTemplate(w, "choice", p); err != nil {
				return err
			}
			return tmpl.ExecuteTemplate(w, "decision", p)
		}},
	} {
		t.Run(test.file, func(t *testing.T) { wantGolden(t, test.file, test.write) })
	}
}

func TestRankingsJSON(t *testing.T) {
	a, _, _ := synthetic(t)
	r := syntheticRankings(t, a)
	var b bytes.Buffer
	if err := RankingsJSON(&b, r); err != nil {
		t.Fatal(err)
	}
	var back Rankings
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	r.Schema = RankingsSchema
	if diff := cmp.Diff(r, back); diff != "" {
		t.Errorf("rankings (-written +read):\n%s", diff)
	}
}

// The report's JSON has what the page shows of them.
func TestDocumentHasRankings(t *testing.T) {
	a, env, _ := synthetic(t)
	r := syntheticRankings(t, a)
	d, err := NewDocument(Source{Analysis: a, Environment: env, Rankings: r.Rankings, Decision: r.Decision})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.Rankings, d.Rankings); diff != "" {
		t.Errorf("rankings (-made +written):\n%s", diff)
	}
	if diff := cmp.Diff(r.Decision, d.Decision); diff != "" {
		t.Errorf("decision (-made +written):\n%s", diff)
	}
}

// What leads comes first on the page; what nobody can rank comes after the
// verdicts.
func TestPlaceOfTheChoice(t *testing.T) {
	a, env, _ := synthetic(t)
	r := syntheticRankings(t, a)
	for _, c := range []struct {
		rankings []profile.Ranking
		first    string
	}{{r.Rankings, `id="choice"`}, {r.Rankings[2:], `id="answer"`}} {
		var b strings.Builder
		if err := HTML(&b, Source{Analysis: a, Environment: env, Rankings: c.rankings, Decision: r.Decision}); err != nil {
			t.Fatal(err)
		}
		page := b.String()
		choice, answer := strings.Index(page, `<section id="choice"`), strings.Index(page, `<section id="answer"`)
		if choice < 0 || answer < 0 || (choice < answer) != (c.first == `id="choice"`) {
			t.Errorf("%d rankings: choice at %d, answer at %d, want %s first", len(c.rankings), choice, answer, c.first)
		}
		if strings.Contains(page, "<little>") {
			t.Error("a title is not escaped")
		}
	}
}
