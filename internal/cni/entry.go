package cni

import (
	"fmt"
	"maps"
	"slices"

	"github.com/Masterminds/semver/v3"
	"helm.sh/helm/v4/pkg/chart/common/util"
)

// Entry is a variant in one version with everything that the catalog and the
// user say of it in one place. Plugin and Variant are as the catalog has them;
// for what both say, read Entry's own fields.
type Entry struct {
	Name    string // of the variant, never an alias
	Version string // as upstream writes it; empty: nothing is installed
	File    string // of the user's own catalog; empty: cnibench's
	Plugin  Plugin
	Variant Variant

	Install       Source // of plugin and variant, with the version's and the user's values
	Requires      Requires
	Ready         Ready
	Agents        []AgentPods
	Services      string // "kube-proxy", "plugin" or "" for either
	Enforces      Enforces
	Encapsulation Encapsulation // Bytes are the version's
	Verified      string        // as Version.Verified, "" too if it does not cover this variant

	With       map[string]string // placeholders of the version
	UserValues map[string]any    // what of Install.Values the user gave
}

// Choice says which of an entry's versions is meant, and what the user adds.
type Choice struct {
	Version string // with or without a leading v; empty: the default
	Lab     bool   // the default is what the lab's supply has
	Values  map[string]any
}

// None tells whether nothing is installed: the entry measures what is there.
func (e Entry) None() bool {
	i := e.Install
	return i.Chart == "" && i.Manifest == "" && i.Inline == ""
}

// HostNetwork tells whether load pods use their node's network.
func (e Entry) HostNetwork() bool { return e.Variant.HostNetwork }

// resolve merges what plugin, variant, version and user say.
func resolve(name string, p Plugin, v Variant, choice Choice) (Entry, error) {
	e := Entry{Name: name, Plugin: p, Variant: v}
	version, err := p.choose(name, v, choice)
	if err != nil {
		return Entry{}, err
	}
	e.Version, e.With, e.UserValues = version.Version, version.With, choice.Values
	switch {
	case len(version.Variants) == 0 || slices.Contains(version.Variants, name):
		e.Verified = version.Verified
	case version.Verified == "installed":
		e.Verified = "rendered"
	}
	if e.Install, err = mergeInstall(p.Install, v.Install, version, choice.Values); err != nil {
		return Entry{}, fmt.Errorf("variant %s: %w", name, err)
	}
	e.Requires = mergeRequires(p.Requires, v.Requires)
	e.Ready = mergeReady(p.Ready, v.Ready)
	e.Agents = slices.Concat(p.Agents, v.Agents)
	e.Services, e.Enforces = p.Services, p.Enforces
	if v.Services != "" {
		e.Services = v.Services
	}
	if v.Enforces != nil {
		e.Enforces = *v.Enforces
	}
	e.Encapsulation = v.Encapsulation
	for _, b := range v.Encapsulation.BytesFor {
		meets, err := meetsConstraint(e.Version, b.Versions)
		if err != nil {
			return Entry{}, fmt.Errorf("variant %s: encapsulation: %w", name, err)
		}
		if meets {
			e.Encapsulation.Bytes = b.Bytes
		}
	}
	return e, nil
}

func mergeInstall(p, v Source, version Version, user map[string]any) (Source, error) {
	i := p
	if v.Chart != "" || v.Manifest != "" || v.Inline != "" {
		i.Chart, i.Repository, i.ChartVersion, i.Manifest, i.Inline = v.Chart, v.Repository, v.ChartVersion, v.Manifest, v.Inline
	}
	if v.Namespace != "" {
		i.Namespace = v.Namespace
	}
	values := copyTable(p.Values)
	for _, more := range []Source{p, v} {
		values = util.MergeTables(copyTable(more.Values), values)
		for _, f := range more.ValuesFor {
			meets, err := meetsConstraint(version.Version, f.Versions)
			if err != nil {
				return Source{}, err
			}
			if meets {
				values = util.MergeTables(copyTable(f.Values), values)
			}
		}
	}
	i.Values, i.ValuesFor = util.MergeTables(copyTable(user), values), nil
	i.DualStack, i.IPv6 = mergeFamily(p.DualStack, v.DualStack), mergeFamily(p.IPv6, v.IPv6)
	var err error
	if i.Before, err = those(slices.Concat(p.Before, v.Before), version); err != nil {
		return Source{}, err
	}
	if i.After, err = those(slices.Concat(p.After, v.After), version); err != nil {
		return Source{}, err
	}
	i.Edits = slices.Concat(p.Edits, v.Edits)
	i.Binaries = union(p.Binaries, v.Binaries)
	i.NamespaceLabels = mergeText(p.NamespaceLabels, v.NamespaceLabels)
	i.NodeLabels = mergeText(p.NodeLabels, v.NodeLabels)
	return i, nil
}

// mergeFamily makes one table of two; null if both are.
func mergeFamily(p, v map[string]any) map[string]any {
	if p == nil && v == nil {
		return nil
	}
	return util.MergeTables(copyTable(v), copyTable(p))
}

// mergeText makes one table of two; the second's values win.
func mergeText(p, v map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, p)
	maps.Copy(all, v)
	return all
}

// those keeps the parts that are meant for a version.
func those(parts []Source, version Version) ([]Source, error) {
	var kept []Source
	for _, part := range parts {
		meets, err := meetsConstraint(version.Version, part.For)
		if err != nil {
			return nil, err
		}
		if meets {
			kept = append(kept, part)
		}
	}
	return kept, nil
}

func mergeRequires(p, v Requires) Requires {
	r := p
	if v.Kernel != "" {
		r.Kernel = v.Kernel
	}
	if v.Kubernetes != "" {
		r.Kubernetes = v.Kubernetes
	}
	r.Can = union(p.Can, v.Can)
	r.Config = union(p.Config, v.Config)
	r.Wants = union(p.Wants, v.Wants)
	r.Modules = union(p.Modules, v.Modules)
	r.Drivers = union(p.Drivers, v.Drivers)
	r.Ports = union(p.Ports, v.Ports)
	r.Other = union(p.Other, v.Other)
	if v.PodCIDR != "" {
		r.PodCIDR = v.PodCIDR
	}
	r.OneLink = p.OneLink || v.OneLink
	return r
}

func mergeReady(p, v Ready) Ready {
	return Ready{
		DaemonSets:  union(p.DaemonSets, v.DaemonSets),
		Deployments: union(p.Deployments, v.Deployments),
		Files:       union(p.Files, v.Files),
		Annotations: union(p.Annotations, v.Annotations),
		NoTaints:    union(p.NoTaints, v.NoTaints),
		Conditions:  union(p.Conditions, v.Conditions),
	}
}

// union keeps the first of equal elements and their order.
func union(a, b []string) []string {
	var all []string
	for _, s := range slices.Concat(a, b) {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// choose finds the version that is meant.
func (p Plugin) choose(name string, v Variant, choice Choice) (Version, error) {
	if len(p.Versions) == 0 {
		if choice.Version != "" {
			return Version{}, fmt.Errorf("variant %s has no versions to choose from", name)
		}
		return Version{}, nil
	}
	var allowed []Version
	for _, version := range p.Versions {
		meets, err := meetsConstraint(version.Version, v.Versions)
		if err != nil {
			return Version{}, fmt.Errorf("variant %s: %w", name, err)
		}
		if !meets {
			continue
		}
		allowed = append(allowed, version)
		if choice.Version != "" && sameVersion(version.Version, choice.Version) {
			return version, nil
		}
	}
	switch {
	case choice.Version != "":
		return Version{}, &UnknownVersionError{Variant: name, Version: choice.Version, Known: versionNames(allowed)}
	case len(allowed) == 0:
		return Version{}, fmt.Errorf("variant %s: no version of the catalog meets %q", name, v.Versions)
	}
	for _, version := range allowed {
		if choice.Lab && version.Lab {
			return version, nil
		}
	}
	return allowed[0], nil
}

// UnknownVersionError names a version that the catalog does not pin.
type UnknownVersionError struct {
	Variant, Version string
	Known            []string
}

func (e *UnknownVersionError) Error() string {
	return fmt.Sprintf("variant %s: the catalog has no version %s", e.Variant, e.Version)
}

func versionNames(versions []Version) []string {
	var names []string
	for _, v := range versions {
		names = append(names, v.Version)
	}
	return names
}

func sameVersion(a, b string) bool {
	x, errX := semver.NewVersion(a)
	y, errY := semver.NewVersion(b)
	return a == b || errX == nil && errY == nil && x.Equal(y)
}

// meetsConstraint reads constraints such as ">= 3.29, < 4"; none is met by
// everything.
func meetsConstraint(version, constraint string) (bool, error) {
	if constraint == "" {
		return true, nil
	}
	c, err := semver.NewConstraint(constraint)
	if err != nil {
		return false, fmt.Errorf("constraint %q: %w", constraint, err)
	}
	v, err := semver.NewVersion(version)
	if err != nil {
		return false, fmt.Errorf("version %q: %w", version, err)
	}
	return c.Check(v), nil
}

// copyTable copies nested tables, because merging changes them in place.
func copyTable(t map[string]any) map[string]any {
	c := make(map[string]any, len(t))
	for k, v := range t {
		if table, ok := v.(map[string]any); ok {
			v = copyTable(table)
		}
		c[k] = v
	}
	return c
}
