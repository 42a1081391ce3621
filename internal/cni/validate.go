package cni

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"

	"github.com/cnibench/cnibench/internal/probe/kernel"
	probetables "github.com/cnibench/cnibench/internal/probe/tables"
)

// What a key may say, where it is not free text.
var (
	servicesWords = []string{"", "kube-proxy", "plugin"}
	verifiedWords = []string{"", "rendered", "installed"}
	roleWords     = []string{"dataplane", "control", "observability"}
	podCIDRWords  = []string{"", "node"}
	mtuWords      = []string{"", "device", "route", "both"}
	protocols     = []string{"", "none", "vxlan", "geneve", "ipip", "gre", "fou", "wireguard", "ipsec"}
)

// validate checks what the types cannot say.
func (f file) validate(p Plugin) error {
	if p.Name == "" {
		return &CatalogError{f.name, 0, "name is missing"}
	}
	if len(p.Variants) == 0 {
		return &CatalogError{f.name, 0, "variants is missing: a plugin needs at least one"}
	}
	err := errors.Join(
		f.validateVersions(p),
		f.oneOf("services", p.Services, servicesWords),
		f.validateRequires("requires", p.Requires),
		f.validateAgents("agents", p.Agents),
		f.validateFacts("facts", p.Facts),
		f.validateCounters(p.Counters),
		eachSource("install", &p.Install, f.validateSource),
	)
	for _, name := range slices.Sorted(maps.Keys(p.Variants)) {
		err = errors.Join(err, f.validateVariant("variants."+name, name, p, p.Variants[name]))
	}
	return err
}

func (f file) validateVariant(at, name string, p Plugin, v Variant) error {
	err := errors.Join(
		f.oneOf(at+".services", v.Services, servicesWords),
		f.constraint(at+".versions", v.Versions),
		f.validateRequires(at+".requires", v.Requires),
		f.validateAgents(at+".agents", v.Agents),
		f.validateFacts(at+".facts", v.Facts),
		f.validateEncapsulation(at+".encapsulation", v.Encapsulation),
		eachSource(at+".install", &v.Install, f.validateSource),
	)
	for _, n := range append([]string{name}, v.Aliases...) {
		if strings.ContainsAny(n, "@/ ") || n == "" {
			err = errors.Join(err, f.fault(at, "the name %q must be without @, / and spaces", n))
		}
	}
	installs := p.Install
	if v.Install.Chart+v.Install.Manifest+v.Install.Inline != "" {
		installs = v.Install
	}
	if installs.Chart+installs.Manifest+installs.Inline != "" && p.Install.Namespace+v.Install.Namespace == "" {
		err = errors.Join(err, f.fault(at, "install.namespace is missing: where do the plugin's pods run?"))
	}
	return err
}

func (f file) validateVersions(p Plugin) error {
	var err error
	for i, v := range p.Versions {
		at := fmt.Sprintf("versions.%d", i)
		if _, bad := semver.NewVersion(v.Version); bad != nil {
			err = errors.Join(err, f.fault(at+".version", "%q is not a version, such as 1.2.3 or v1.2.3", v.Version))
		}
		if _, bad := time.Parse(time.DateOnly, v.Released); v.Released != "" && bad != nil {
			err = errors.Join(err, f.fault(at+".released", "%q is not a date, such as 2026-04-15", v.Released))
		}
		err = errors.Join(err, f.oneOf(at+".verified", v.Verified, verifiedWords))
		for j, name := range v.Variants {
			if _, ok := p.Variants[name]; !ok {
				err = errors.Join(err, f.fault(fmt.Sprintf("%s.variants.%d", at, j), "%s is no variant of this file%s", name, didYouMean(name, keysOf(p.Variants))))
			}
		}
	}
	return err
}

// validateSource checks one part; those before and after it are visited too.
func (f file) validateSource(at string, s *Source) error {
	var kinds []string
	for kind, text := range map[string]string{"chart": s.Chart, "manifest": s.Manifest, "inline": s.Inline} {
		if text != "" {
			kinds = append(kinds, kind)
		}
	}
	var err error
	if slices.Sort(kinds); len(kinds) > 1 {
		err = f.fault(at, "%s exclude each other; put one into before or after", strings.Join(kinds, " and "))
	}
	if s.Chart == "" && s.Repository != "" {
		err = errors.Join(err, f.fault(at+".repository", "a repository needs a chart"))
	}
	err = errors.Join(err, f.constraint(at+".for", s.For))
	for i, v := range s.ValuesFor {
		err = errors.Join(err, f.constraint(fmt.Sprintf("%s.valuesFor.%d.versions", at, i), v.Versions))
	}
	for i, e := range s.Edits {
		err = errors.Join(err, f.validateEdit(fmt.Sprintf("%s.edits.%d", at, i), e))
	}
	return err
}

func (f file) validateEdit(at string, e Edit) error {
	actions := 0
	for _, is := range []bool{e.Set != nil, e.Append != nil, e.Replace != ""} {
		if is {
			actions++
		}
	}
	switch {
	case e.Kind == "" || e.Name == "" || len(e.Path) == 0:
		return f.fault(at, "an edit needs kind, name and path")
	case actions != 1:
		return f.fault(at, "an edit needs one of set, append and replace")
	}
	return nil
}

func (f file) validateRequires(at string, r Requires) error {
	err := f.oneOf(at+".podCIDR", r.PodCIDR, podCIDRWords)
	for i, can := range r.Can {
		if !slices.Contains(kernel.Features(), can) {
			err = errors.Join(err, f.fault(fmt.Sprintf("%s.can.%d", at, i), "%s is nothing that can be tried%s", can, didYouMean(can, kernel.Features())))
		}
	}
	for key, version := range map[string]string{"kernel": r.Kernel, "kubernetes": r.Kubernetes} {
		if _, bad := semver.NewVersion(version); version != "" && bad != nil {
			err = errors.Join(err, f.fault(at+"."+key, "%q is not a version, such as \"5.10\"", version))
		}
	}
	return err
}

func (f file) validateAgents(at string, agents []AgentPods) error {
	var err error
	for i, a := range agents {
		one := fmt.Sprintf("%s.%d", at, i)
		err = errors.Join(err, f.oneOf(one+".role", a.Role, roleWords))
		if a.Selector == "" {
			err = errors.Join(err, f.fault(one, "selector is missing"))
		}
	}
	return err
}

func (f file) validateCounters(c Counters) error {
	var err error
	for i, m := range c.Metrics {
		at := fmt.Sprintf("counters.metrics.%d", i)
		err = errors.Join(err, f.oneOf(at+".role", m.Role, roleWords))
		if m.Port < 1 || m.Port > 65535 {
			err = errors.Join(err, f.fault(at+".port", "port is %d, not from 1 to 65535", m.Port))
		}
		if m.Path != "" && m.Path[0] != '/' {
			err = errors.Join(err, f.fault(at+".path", "%q is no path, such as /metrics", m.Path))
		}
	}
	for i, d := range slices.Concat(c.Drops, c.Others) {
		list := "drops"
		if i >= len(c.Drops) {
			list, i = "others", i-len(c.Drops)
		}
		if d.Metric == "" {
			err = errors.Join(err, f.fault(fmt.Sprintf("counters.%s.%d", list, i), "metric is missing"))
		}
	}
	for i, p := range c.Pressure {
		if p.Metric == "" {
			err = errors.Join(err, f.fault(fmt.Sprintf("counters.pressure.%d", i), "metric is missing"))
		}
	}
	for i, pin := range c.Tables {
		if bad := (probetables.Spec{Pins: []string{pin}}).Validate(); bad != nil {
			err = errors.Join(err, f.fault(fmt.Sprintf("counters.tables.%d", i), "%v", bad))
		}
	}
	if c.Counted() && !slices.ContainsFunc(c.Metrics, func(m Endpoint) bool { return m.Role == dataplane }) {
		err = errors.Join(err, f.fault("counters", "it names metrics, but no endpoint of the role dataplane in counters.metrics that has them"))
	}
	return err
}

func (f file) validateFacts(at string, facts []Fact) error {
	var err error
	for i, fact := range facts {
		if _, bad := time.Parse(time.DateOnly, fact.Date); fact.Name == "" || fact.Value == "" || fact.Source == "" || bad != nil {
			err = errors.Join(err, f.fault(fmt.Sprintf("%s.%d", at, i), "a fact needs name, value, source and date, such as 2026-08-30"))
		}
	}
	return err
}

func (f file) validateEncapsulation(at string, e Encapsulation) error {
	err := f.oneOf(at+".mtu", e.MTU, mtuWords)
	for _, protocol := range strings.Split(e.Protocol, "+") {
		err = errors.Join(err, f.oneOf(at+".protocol", protocol, protocols))
	}
	if e.Bytes < 0 {
		err = errors.Join(err, f.fault(at+".bytes", "bytes must not be negative"))
	}
	for i, b := range e.BytesFor {
		err = errors.Join(err, f.constraint(fmt.Sprintf("%s.bytesFor.%d.versions", at, i), b.Versions))
	}
	return err
}

func (f file) constraint(at, constraint string) error {
	if _, err := semver.NewConstraint(constraint); constraint != "" && err != nil {
		return f.fault(at, "%q is not a constraint on versions, such as \">= 1.16, < 1.19\"", constraint)
	}
	return nil
}

func (f file) oneOf(at, word string, words []string) error {
	if slices.Contains(words, word) {
		return nil
	}
	key := at[strings.LastIndex(at, ".")+1:]
	return f.fault(at, "%s is %q%s", key, word, didYouMean(word, slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })))
}
