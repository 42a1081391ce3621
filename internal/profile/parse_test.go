package profile

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/document"
	"github.com/cnibench/cnibench/internal/parameter"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestBuiltins(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range all {
		names = append(names, p.Name)
		if p.Description == "" || len(p.Sources) == 0 {
			t.Errorf("%s does not say what it is, or who says so", p.Name)
		}
	}
	want := []string{
		"encrypted", "fine-tuned", "high-throughput", "large-messages", "latency-sensitive", "low-resource", "low-traffic",
		"multi-cluster", "policy-dense", "small-messages", "standard",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("profiles (-want +got):\n%s", diff)
	}
}

func TestParse(t *testing.T) {
	got, err := Parse("mine.yaml", []byte(`apiVersion: cnibench.io/v1alpha1
kind: Profile
metadata: {name: mine}
title: my need
needs: {requires: [encryption], wants: [cli], kernel: "5.10"}
least: 80%
weights:
  - {what: latency, weight: 2, of: {scenario: tcp-rr, metric: latency-p99, where: {rate: ">= 1000", placement: [same-node, cross-node]}}}
  - {what: memory, weight: 0.5, margin: 64MiB, of: [{scenario: idle, metric: cni-memory}, {scenario: cni-resources, metric: cni-memory}]}
  - {what: speed, weight: 1, margin: 5%, of: {scenario: tcp-pod-multi, metric: throughput}}
  - {what: more, weight: 1, lacking: nobody can}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := Profile{
		Name: "mine", Title: "my need", Least: 0.8,
		Needs: Needs{Requires: []string{"encryption"}, Wants: []string{"cli"}, Kernel: "5.10"},
		Weights: []Measure{
			{What: "latency", Weight: 2, Of: []Pattern{{"tcp-rr", "latency-p99", []Condition{
				{"placement", "=", []string{"same-node", "cross-node"}}, {"rate", ">=", []string{"1000"}},
			}}}},
			{What: "memory", Weight: 0.5, Margin: &Margin{Value: 64 << 20}, Of: []Pattern{{"idle", "cni-memory", nil}, {"cni-resources", "cni-memory", nil}}},
			{What: "speed", Weight: 1, Margin: &Margin{Value: 0.05, Fraction: true}, Of: []Pattern{{"tcp-pod-multi", "throughput", nil}}},
			{What: "more", Weight: 1, Lacking: "nobody can"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("profile (-want +got):\n%s", diff)
	}
}

// Every file below testdata/errors and all that is wrong with it.
func TestProblems(t *testing.T) {
	files, err := filepath.Glob("testdata/errors/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Parse(filepath.Base(file), data)
			var problems document.Problems
			if !errors.As(err, &problems) {
				t.Fatalf("error %v is no list of problems", err)
			}
			golden := strings.TrimSuffix(file, ".yaml") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(err.Error()+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err2 := os.ReadFile(golden)
			if err2 != nil {
				t.Fatal(err2)
			}
			if diff := cmp.Diff(string(want), err.Error()+"\n"); diff != "" {
				t.Errorf("problems (-golden +got):\n%s", diff)
			}
		})
	}
}

func TestConditions(t *testing.T) {
	for _, c := range []struct {
		value, operator, bound string
		want                   bool
	}{
		{"cross-node", "=", "cross-node", true}, {"cross-node", "=", "same-node", false},
		{"64", "<=", "1KiB", true}, {"2KiB", "<=", "1KiB", false}, {"1KiB", "=", "1024", true},
		{"100", ">=", "100", true}, {"100", ">", "100", false}, {"0.8", ">=", "0.5", true},
		{"10s", "<", "1m", true}, {"1Gbit", ">", "500Mbit", true}, {"idle", ">=", "0", false},
	} {
		if got := compares(c.value, c.operator, c.bound); got != c.want {
			t.Errorf("%s %s %s: %v", c.value, c.operator, c.bound, got)
		}
	}
	if (Condition{"load", "=", []string{"idle"}}).meets(parameter.Values{"rate": "1"}) {
		t.Error("a parameter that is not there meets a condition")
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range Names() {
		data, err := File(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	files, _ := filepath.Glob("testdata/errors/*.yaml")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse("fuzz.yaml", data)
		var problems document.Problems
		if err != nil {
			if !errors.As(err, &problems) || len(problems) == 0 {
				t.Fatalf("error %v lists no problem", err)
			}
			return
		}
		if len(p.Weights) == 0 || p.total() <= 0 || p.Measurable() > 1+1e-9 || p.Least <= 0 || p.Least >= 1 {
			t.Errorf("accepted %+v", p)
		}
		if len(p.Campaign) > 0 {
			if _, err := p.CampaignFile(); err != nil {
				t.Errorf("its campaign cannot be written: %v", err)
			}
		}
	})
}
