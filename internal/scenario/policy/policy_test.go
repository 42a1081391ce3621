package policy

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write the golden files anew")

var subject = Subject{Namespace: "ours", Labels: map[string]string{"made-by": "us"}, Server: "server", Client: "client", Witness: "witness"}

// golden compares policies with a file of YAML documents.
func golden[P any](t *testing.T, name string, policies ...P) {
	t.Helper()
	var all []string
	for _, p := range policies {
		text, err := yaml.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	got, file := strings.Join(all, "---\n"), filepath.Join("testdata", name+".yaml")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func TestScaling(t *testing.T) {
	for _, shape := range []string{Matching, Idle, Seed001} {
		t.Run(shape, func(t *testing.T) {
			policies, err := subject.Scaling(shape, 2)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "scaling-"+shape, append(policies, subject.AllowClient(5201, 5202))...)
		})
	}
	if none, err := subject.Scaling(Matching, 0); err != nil || len(none) != 0 {
		t.Errorf("no policies are %v, %v", none, err)
	}
	if _, err := subject.Scaling("round", 1); err == nil {
		t.Error("there are round policies")
	}
	if _, err := subject.Scaling(Matching, MostMatching+1); err == nil {
		t.Error("ports do not end")
	}
}

// None of the scaled policies lets the client in: that is what the one beside
// them is for. Else an allow probe would show nothing.
func TestScaledPoliciesDoNotAllowTheClient(t *testing.T) {
	for _, shape := range []string{Matching, Idle, Seed001} {
		policies, err := subject.Scaling(shape, 3)
		if err != nil {
			t.Fatal(err)
		}
		names := map[string]bool{}
		for _, p := range policies {
			names[p.Name] = true
			if problems := validation.IsDNS1123Subdomain(p.Name); len(problems) > 0 || p.Labels["made-by"] != "us" || p.Namespace != "ours" {
				t.Errorf("%+v: %v", p.ObjectMeta, problems)
			}
			for _, rule := range p.Spec.Ingress {
				for _, peer := range rule.From {
					if peer.PodSelector != nil && peer.PodSelector.MatchLabels[app] == subject.Client {
						t.Errorf("%s of shape %s lets the client in", p.Name, shape)
					}
				}
			}
		}
		if len(names) != 3 {
			t.Errorf("three policies of shape %s are called %v", shape, names)
		}
	}
}

func TestRules(t *testing.T) {
	for _, side := range []string{Ingress, Egress} {
		for _, shape := range Rules {
			t.Run(side+" "+shape, func(t *testing.T) {
				r := Rule{Shape: shape, Side: side, Allow: true, Port: 7007, PeerIP: "10.0.0.7"}
				allow, err := subject.Policy("allow", r)
				if err != nil {
					t.Fatal(err)
				}
				r.Allow = false
				deny, err := subject.Policy("deny", r)
				if err != nil {
					t.Fatal(err)
				}
				golden(t, side+"-"+shape, allow, deny)
			})
		}
	}
	golden(t, "isolate", subject.Isolate("in", Ingress), subject.Isolate("out", Egress, "client", "newcomer"))
}

func TestRulesThatCannotBe(t *testing.T) {
	for _, r := range []Rule{
		{Shape: "round", Side: Ingress},
		{Shape: Port, Side: "above", Port: 1},
		{Shape: CIDR, Side: Ingress, PeerIP: "server"},
	} {
		if p, err := subject.Policy("p", r); err == nil {
			t.Errorf("%+v makes %+v", r, p)
		}
	}
}

func TestFeatures(t *testing.T) {
	features, err := subject.Features(Addresses{Client: "10.0.0.7", Outside: "198.51.100.1"})
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, f := range features {
		if names[f.Name] {
			t.Errorf("two features are called %s", f.Name)
		}
		names[f.Name] = true
		var policies []any
		denies := false
		for _, s := range f.Steps {
			for _, p := range s.Policies {
				policies = append(policies, p)
			}
			for _, p := range s.HTTP {
				policies = append(policies, p)
			}
			for _, w := range s.Want {
				denies = denies || !w.Reached
			}
		}
		// Without something that must not get through, a plugin that enforces
		// nothing would have the feature.
		if len(policies) == 0 || !denies {
			t.Errorf("%s: policies %v, denies: %t", f.Name, policies, denies)
		}
		t.Run(f.Name, func(t *testing.T) { golden(t, "feature-"+f.Name, policies...) })
	}
}

func TestFeaturesWithoutAnOutside(t *testing.T) {
	features, err := subject.Features(Addresses{Client: "fd00::7"})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range features {
		if f.Needs == Outside && len(f.Steps) > 0 || f.Needs != Outside && len(f.Steps) == 0 {
			t.Errorf("%s needs %q and has %d steps", f.Name, f.Needs, len(f.Steps))
		}
	}
	if _, err := subject.Features(Addresses{Client: "client"}); err == nil {
		t.Error("a name is an address")
	}
	if _, err := subject.Features(Addresses{Client: "10.0.0.1", Outside: "api"}); err == nil {
		t.Error("a name is an address")
	}
}
