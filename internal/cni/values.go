package cni

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"

	"github.com/cnibench/cnibench/internal/document"
)

// ValuesError says that a chart does not take the values that it would get.
type ValuesError struct {
	Chart  string // with its version
	Key    string // "hubble.enabeld"; empty: see Reason
	Near   string // the nearest key that the chart has, or empty
	User   bool   // the values are the user's, not the catalog's
	Reason string
}

func (e *ValuesError) Error() string {
	whose := "of the catalog"
	if e.User {
		whose = "given by you"
	}
	if e.Key == "" {
		return fmt.Sprintf("chart %s refuses the values %s: %s", e.Chart, whose, e.Reason)
	}
	text := fmt.Sprintf("chart %s has no value %s, which is among the values %s", e.Chart, e.Key, whose)
	if e.Near != "" {
		text += fmt.Sprintf("; did you mean %s?", e.Near)
	}
	return text
}

// checkKeys finds values that the chart never reads: Helm ignores them, and a
// variant would be measured that is not the one that was meant. A table that a
// template passes on as a whole may hold anything.
func checkKeys(c *chart.Chart, values, user map[string]any) error {
	k := keyCheck{chart: c, user: user}
	for _, t := range c.Templates {
		k.templates = append(k.templates, t.Data...)
	}
	for _, f := range c.Raw {
		k.words = append(append(k.words, f.Data...), '\n')
	}
	return k.table("", values, c.Values)
}

type keyCheck struct {
	chart     *chart.Chart
	user      map[string]any
	templates []byte
	words     []byte // all files
}

func (k keyCheck) table(at string, values, defaults map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		path := below(at, key)
		fallback, known := defaults[key]
		if !known && !k.mentions(at, key) {
			near, _ := document.Nearest(key, keysOf(defaults))
			if near != "" {
				near = below(at, near)
			}
			return &ValuesError{Chart: k.name(), Key: path, Near: near, User: has(k.user, strings.Split(path, "."))}
		}
		table, isTable := values[key].(map[string]any)
		inner, hasKeys := fallback.(map[string]any)
		if isTable && hasKeys && len(inner) > 0 && !k.passesOn(path) {
			if err := k.table(path, table, inner); err != nil {
				return err
			}
		}
	}
	return nil
}

func (k keyCheck) name() string { return k.chart.Name() + " " + k.chart.Metadata.Version }

// mentions tells whether the chart knows a key that its default values do not
// have: its templates or comments name it, or it is a chart within.
func (k keyCheck) mentions(at, key string) bool {
	if at == "" && (key == "global" || slices.ContainsFunc(k.chart.Dependencies(), func(d *chart.Chart) bool { return d.Name() == key })) {
		return true
	}
	for rest := k.words; ; {
		i := bytes.Index(rest, []byte(key))
		if i < 0 {
			return false
		}
		end := i + len(key)
		if (i == 0 || !wordByte(rest[i-1])) && (end == len(rest) || !wordByte(rest[end])) {
			return true
		}
		rest = rest[end:]
	}
}

func wordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// passesOn tells whether a template uses a table as a whole: a line names it
// without a key behind it, to print or to keep it.
func (k keyCheck) passesOn(path string) bool {
	name := []byte(".Values." + path)
	for rest := k.templates; ; {
		i := bytes.Index(rest, name)
		if i < 0 {
			return false
		}
		end := i + len(name)
		if end == len(rest) || rest[end] != '.' && !wordByte(rest[end]) {
			line := rest[bytes.LastIndexByte(rest[:i], '\n')+1:]
			if stop := bytes.IndexByte(line, '\n'); stop >= 0 {
				line = line[:stop]
			}
			for _, use := range []string{"toYaml", "toJson", "omit", "merge", "deepCopy", ":=", "range"} {
				if bytes.Contains(line, []byte(use)) {
					return true
				}
			}
		}
		rest = rest[end:]
	}
}

func has(table map[string]any, path []string) bool {
	value, ok := table[path[0]]
	if !ok || len(path) == 1 {
		return ok
	}
	inner, _ := value.(map[string]any)
	return has(inner, path[1:])
}

// explainSchema puts a violation of the chart's own schema into one line.
func explainSchema(c *chart.Chart, user map[string]any, err error) error {
	var reasons []string
	for _, line := range strings.Split(err.Error(), "\n") {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "- ") {
			reasons = append(reasons, strings.TrimPrefix(line, "- "))
		}
	}
	if len(reasons) == 0 {
		return err
	}
	e := &ValuesError{Chart: c.Name() + " " + c.Metadata.Version, Reason: strings.Join(reasons, "; ")}
	for _, reason := range reasons {
		if at := regexp.MustCompile(`at '/([^']+)'`).FindStringSubmatch(reason); at != nil {
			e.User = e.User || has(user, strings.Split(at[1], "/"))
		}
	}
	return e
}

// checkKubeVersion does what Helm does before it renders: a chart may say which
// versions of Kubernetes it is for.
func checkKubeVersion(c *chart.Chart, capabilities *common.Capabilities) error {
	wants := c.Metadata.KubeVersion
	if wants != "" && !chartutil.IsCompatibleRange(wants, capabilities.KubeVersion.String()) {
		return fmt.Errorf("chart %s %s is for Kubernetes %s, and the cluster has %s", c.Name(), c.Metadata.Version, wants, capabilities.KubeVersion.String())
	}
	return nil
}
