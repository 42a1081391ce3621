package campaign

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/document"
	"github.com/cnibench/cnibench/internal/parameter"
)

// Target is a server that is there already, and that load may go to.
type Target struct {
	Name string // a label, unique in the campaign
	URL  string // of http or https, without user and fragment
	// Host is asked for in place of the URL's, as the header and, over TLS, as
	// the name of the server; empty: the URL's own.
	Host     string
	Insecure bool // the server's certificate is not checked
}

// NoTarget is what a parameter says that names no target.
const NoTarget = "none"

var (
	targetKeys = document.Keys{Valid: []string{"name", "url", "host", "insecure"}}
	// targetURL is a scheme, a host, a port, and a path with its query: neither a
	// user nor a fragment. What it takes the schema and net/url take, too.
	targetURL = regexp.MustCompile(`^(https?)://(\[[0-9A-Fa-f:.]+\]|[-A-Za-z0-9.]+)(?::([0-9]{1,5}))?(?:[/?](?:[^#%\s\pC]|%[0-9A-Fa-f]{2})*)?$`)
	// hostName is a name of DNS (RFC 1123), in lower case or not.
	hostName = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?)*$`)
)

// maxHostName is how long a name of DNS may be.
const maxHostName = 253

const (
	writeTarget = "write a list: [{name: shop, url: https://shop.example.com/}]"
	writeURL    = "write http://HOST/PATH or https://HOST:PORT/PATH"
)

// targets are those of the file, with the places of their names.
type targets struct {
	list  []Target
	named []*yaml.Node // of the same index
	bad   bool         // some could not be read, so that a name may be one of those
}

func (t targets) names() []string {
	names := make([]string, len(t.list))
	for i := range t.list {
		names[i] = t.list[i].Name
	}
	return names
}

func (d *decoder) readTargets(n *yaml.Node) {
	before := len(d.Problems)
	defer func() { d.targets.bad = len(d.Problems) > before }()
	elements, ok := d.List(n, "targets", writeTarget)
	if !ok {
		return
	}
	for _, e := range elements {
		t, name := d.target(e)
		if name == nil || t.Name == "" {
			continue
		}
		if i := slices.Index(d.targets.names(), t.Name); i >= 0 {
			d.Report(name, fmt.Sprintf("the target %q is on line %d already", t.Name, d.targets.named[i].Line), "give one of the two another name")
			continue
		}
		d.targets.list, d.targets.named = append(d.targets.list, t), append(d.targets.named, name)
	}
}

// target reads one target, and returns the node of its name, nil without one.
func (d *decoder) target(n *yaml.Node) (Target, *yaml.Node) {
	var t Target
	fields, ok := d.Object(n, "a target", targetKeys)
	if !ok {
		return t, nil
	}
	name := d.Required(n, fields, "name", "add name: NAME, which scenarios and reports show")
	if name != nil {
		d.Label(name, "name", &t.Name)
		if t.Name == NoTarget {
			d.Report(name, fmt.Sprintf("a target is called %q, which is how a scenario says that it has none", NoTarget), "give it another name")
		}
	}
	address := d.Required(n, fields, "url", "add url: https://HOST/PATH")
	if address != nil {
		d.targetURL(address, &t.URL)
	}
	if v := fields["insecure"]; v != nil {
		d.Boolean(v, "insecure", &t.Insecure)
	}
	if v := fields["host"]; v != nil {
		d.targetHost(v, &t)
	}
	if v := fields["insecure"]; v != nil && t.Insecure && strings.HasPrefix(t.URL, "http://") {
		d.Report(v, "insecure leaves out the check of a certificate, and http:// has none", "remove it")
	}
	return t, name
}

// targetURL refuses what would be kept with the results, and what no client
// could ask.
func (d *decoder) targetURL(n *yaml.Node, into *string) {
	if !d.NonEmpty(n, "url", writeURL, into) {
		return
	}
	_, rest, _ := strings.Cut(*into, "://")
	authority := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority = rest[:i]
	}
	switch {
	case strings.Contains(authority, "@"):
		d.Report(n, "url has a user in it, and would be kept with the results", "remove the user; a target is asked without a password")
	case strings.Contains(*into, "#"):
		d.Report(n, "url has a fragment, which is never sent", "remove # and what is behind it")
	case !readURL(*into).good():
		d.Report(n, "url "+document.Describe(n)+" is no address of http:// or https://", writeURL)
	default:
		return
	}
	*into = ""
}

// location is where a URL leads; zero for what is no URL of a target.
type location struct{ scheme, host, port string }

func readURL(text string) location {
	m := targetURL.FindStringSubmatch(text)
	if m == nil {
		return location{}
	}
	host := strings.Trim(m[2], "[]")
	if a, err := netip.ParseAddr(host); host != m[2] && (err != nil || !a.Is6()) {
		return location{} // brackets are for IPv6
	}
	return location{m[1], host, m[3]}
}

// good tells whether there can be such a host and port; without a port it is
// the scheme's.
func (l location) good() bool {
	if l.port != "" {
		if port, err := strconv.ParseUint(l.port, 10, 16); err != nil || port == 0 {
			return false
		}
	}
	return l.isAddress() || isHostName(l.host)
}

func (l location) isAddress() bool {
	_, err := netip.ParseAddr(l.host)
	return err == nil
}

func isHostName(text string) bool { return hostName.MatchString(text) && len(text) <= maxHostName }

// targetHost reads the name that is asked for. Over TLS the server is told it
// before anything is sent, so that the name has to take the place of an address.
func (d *decoder) targetHost(n *yaml.Node, t *Target) {
	hint := "write the name that the server answers to, such as shop.example.com"
	if !d.NonEmpty(n, "host", hint, &t.Host) {
		return
	}
	if !isHostName(t.Host) {
		d.Report(n, "host "+document.Describe(n)+" is no name of a host", hint)
		return
	}
	if at := readURL(t.URL); at.scheme == "https" && !at.isAddress() {
		d.Report(n, fmt.Sprintf("host and https://%s: over TLS the server is asked for by the name in the URL", at.host),
			"write the server's IP address in url, or remove host")
	}
}

// knownTarget reports a value that names no target.
func (d *decoder) knownTarget(n *yaml.Node, name string) bool {
	if name == NoTarget || d.targets.bad || slices.Contains(d.targets.names(), name) {
		return true
	}
	hint := "add it to spec: targets: [{name: " + name + ", url: https://HOST/PATH}]"
	if len(d.targets.list) > 0 {
		hint = document.DidYouMean(name, d.targets.names(), "spec.targets has "+strings.Join(d.targets.names(), ", "))
	}
	d.Report(n, "unknown target "+document.Describe(n), hint)
	return false
}

// unusedTargets reports targets that no cell names.
func (d *decoder) unusedTargets(cells []Cell) {
	for i, t := range d.targets.list {
		if !slices.ContainsFunc(cells, func(c Cell) bool { return c.Target != nil && c.Target.Name == t.Name }) {
			d.Report(d.targets.named[i], fmt.Sprintf("no scenario uses the target %q", t.Name),
				"write target: "+t.Name+" in a scenario that takes one, such as http, or remove the target")
		}
	}
}

// targetOf finds the target that a cell's parameters name; nil for none.
func (s Spec) targetOf(scenario Scenario, v parameter.Values) *Target {
	if scenario.TargetParameter == "" {
		return nil
	}
	name := v.Text(scenario.TargetParameter)
	i := slices.IndexFunc(s.Targets, func(t Target) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	t := s.Targets[i]
	return &t
}
