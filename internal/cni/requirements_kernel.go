package cni

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/probe/kernel"
)

// release compares kernels. Enterprise distributions move features into old
// kernels, so that there an old number proves nothing.
func (f *findings) release(node string, want Requires, r kernel.Report) {
	if want.Kernel == "" {
		return
	}
	least, err := kernel.ParseRelease(want.Kernel)
	if err != nil {
		f.add(RunsUnknown, "", "the catalog's least kernel: "+err.Error())
		return
	}
	have, err := kernel.ParseRelease(r.Release)
	switch {
	case err != nil:
		f.add(RunsUnknown, node, err.Error())
	case have.Compare(least) >= 0:
	case strings.Contains(r.Release, ".el"):
		f.add(RunsUnknown, node, fmt.Sprintf("kernel %s is older than %s, but its distribution adds newer features to it", r.Release, want.Kernel))
	default:
		f.add(RunsNo, node, fmt.Sprintf("kernel %s is older than %s", r.Release, want.Kernel))
	}
}

// features judges what was tried.
func (f *findings) features(node string, want Requires, r kernel.Report) {
	for _, name := range want.Can {
		switch a, tried := r.Features[name]; {
		case tried && a.Can == kernel.Yes:
		case tried && a.Can == kernel.No:
			text := fmt.Sprintf("no %s (%s)", name, a.Reason)
			if unset := notSet(kernel.Symbols(name), r); unset != "" {
				text += ", " + unset
			}
			f.add(RunsNo, node, text)
		case kernel.Symbols(name) == nil:
			f.unchecked = union(f.unchecked, []string{name})
		default:
			reason := "it was not tried"
			if tried {
				reason = a.Reason
			}
			f.untried(node, name, reason, r)
		}
	}
}

// untried lets the configuration stand in for a trial that could not be made.
func (f *findings) untried(node, name, reason string, r kernel.Report) {
	unsure := ""
	for _, symbol := range kernel.Symbols(name) {
		runs, text := option(symbol, r)
		switch runs {
		case RunsNo:
			f.add(RunsNo, node, fmt.Sprintf("no %s: %s (trial: %s)", name, text, reason))
			return
		case RunsUnknown:
			unsure = text
		}
	}
	if unsure != "" {
		f.add(RunsUnknown, node, fmt.Sprintf("%s could not be tried (%s), and %s", name, reason, unsure))
	}
}

// options judges what is only configured: what must be set, and without what
// the plugin does less.
func (f *findings) options(node string, want Requires, r kernel.Report) {
	for _, symbol := range want.Config {
		if runs, text := option(symbol, r); runs != RunsYes {
			f.add(runs, node, text)
		}
	}
	for _, symbol := range want.Wants {
		switch runs, text := option(symbol, r); runs {
		case RunsNo:
			f.add(RunsDegraded, node, text+", which it can use")
		case RunsUnknown:
			f.unchecked = union(f.unchecked, []string{configName(symbol) + ", which it can use"})
		}
	}
}

// option looks an option up; one of its alternatives is enough.
func option(symbol string, r kernel.Report) (Runs, string) {
	if r.Config.Source == "" {
		return RunsUnknown, "the kernel's configuration is unknown: " + r.Config.Unknown + ", so " + configName(symbol) + " is unknown"
	}
	elsewhere, known := "", false
	for _, s := range kernel.Alternatives(symbol) {
		value, asked := r.Config.Values[s]
		known = known || asked
		if value == "m" && r.Modules[kernel.ModuleOf(s)] == kernel.Elsewhere {
			elsewhere = kernel.ModuleOf(s)
			continue
		}
		if asked && value != kernel.NotSet {
			return RunsYes, ""
		}
	}
	switch {
	case elsewhere != "":
		return RunsNo, fmt.Sprintf("%s is a module, and %s is not among the modules of %s", configName(symbol), elsewhere, r.Release)
	case !known:
		return RunsUnknown, configName(symbol) + " was not looked at"
	}
	return RunsNo, configName(symbol) + " is not set"
}

// notSet names those options that a kernel's configuration lacks.
func notSet(symbols []string, r kernel.Report) string {
	if r.Config.Source == "" {
		return ""
	}
	var missing []string
	for _, s := range symbols {
		if !slices.ContainsFunc(kernel.Alternatives(s), func(a string) bool { return r.Config.Values[a] != kernel.NotSet }) {
			missing = append(missing, configName(s))
		}
	}
	switch len(missing) {
	case 0:
		return ""
	case 1:
		return missing[0] + " is not set"
	}
	return strings.Join(missing, ", ") + " are not set"
}

func configName(symbol string) string {
	return "CONFIG_" + strings.Join(kernel.Alternatives(symbol), " or CONFIG_")
}

// modules judges those that a plugin loads by name.
func (f *findings) modules(node string, want Requires, r kernel.Report) {
	for _, name := range want.Modules {
		switch r.Modules[kernel.ModuleName(name)] {
		case kernel.BuiltIn, kernel.Loaded, kernel.Available:
		case kernel.Elsewhere:
			f.add(RunsNo, node, fmt.Sprintf("kernel %s has no module %s", r.Release, name))
		default:
			f.add(RunsUnknown, node, fmt.Sprintf("nothing tells whether the kernel has module %s: /lib/modules/%s is not there", name, r.Release))
		}
	}
}
