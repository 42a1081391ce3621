package cluster

import (
	"os"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// rolesOf reads the rules of the manifest that users are pointed to, by role.
func rolesOf(t *testing.T) map[string][]rbacv1.PolicyRule {
	t.Helper()
	text, err := os.ReadFile("../../deploy/rbac.yaml")
	if err != nil {
		t.Fatal(err)
	}
	objects, err := Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	roles := map[string][]rbacv1.PolicyRule{}
	for _, o := range objects {
		var role rbacv1.ClusterRole
		if o.GetKind() != "ClusterRole" {
			continue
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &role); err != nil {
			t.Fatal(err)
		}
		roles[role.Name] = role.Rules
	}
	return roles
}

func grants(rules []rbacv1.PolicyRule, r right, verb string) bool {
	return slices.ContainsFunc(rules, func(rule rbacv1.PolicyRule) bool {
		named := len(rule.ResourceNames) == 0 || r.name != "" && slices.Contains(rule.ResourceNames, r.name)
		return named && slices.Contains(rule.APIGroups, r.group) && slices.Contains(rule.Resources, r.resource) && slices.Contains(rule.Verbs, verb)
	})
}

// What is asked for before the first trial is what the manifest grants.
func TestManifestGrantsWhatIsAskedFor(t *testing.T) {
	roles := rolesOf(t)
	wide, own, change := roles["cnibench-measure"], roles["cnibench-measure-namespace"], roles["cnibench-change-cni"]
	check := func(rights []right, rules func(right) []rbacv1.PolicyRule) {
		for _, r := range rights {
			for _, verb := range strings.Fields(r.verbs) {
				if !r.unlessThere && !grants(rules(r), r, verb) {
					t.Errorf("deploy/rbac.yaml does not let users %s", r.say(verb))
				}
			}
		}
	}
	check(measureRights, func(r right) []rbacv1.PolicyRule {
		if r.namespace == Namespace {
			return slices.Concat(wide, own)
		}
		return wide
	})
	check(changeRights, func(right) []rbacv1.PolicyRule { return change })
}

// Measuring alone must not be an administrator's right.
func TestManifestGrantsNoMore(t *testing.T) {
	for _, rule := range rolesOf(t)["cnibench-measure"] {
		for _, verb := range rule.Verbs {
			if verb != "get" && verb != "list" {
				t.Errorf("the role that is for the whole cluster may %s %v", verb, rule.Resources)
			}
		}
		if slices.Contains(rule.Resources, "secrets") || slices.Contains(rule.Resources, "*") {
			t.Errorf("it may read %v", rule.Resources)
		}
	}
}

func TestForbiddenNamesVerbAndResource(t *testing.T) {
	exec := right{resource: "pods/exec", namespace: Namespace}
	sets := right{group: "apps", resource: "daemonsets"}
	got := (&ForbiddenError{[]string{exec.say("create"), sets.say("list")}}).Error()
	if want := "you may not create pods/exec in namespace cnibench, nor list daemonsets.apps"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}
