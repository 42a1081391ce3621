package campaign

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/document"
)

// Prometheus is a server that the user has, and what is asked of it after
// every trial. What it answers is exploratory.
type Prometheus struct {
	URL      string        // of the HTTP API, without /api/v1
	Wait     time.Duration // for which the server may be behind; whole seconds
	Token    Secret        // a bearer token
	Username string
	Password Secret
	Queries  []Query // at least one, names unique
}

// Secret says where a secret is: in a file, or in a variable of the
// environment. Both empty, there is none.
type Secret struct{ File, Env string }

// Query is a metric that one query answers with one number. $window in its
// text is the length of the trial's window.
type Query struct {
	Name   string
	Unit   string
	Better string // higher or lower
	Scale  string // ratio or difference
	Margin float64
	Query  string
}

// defaultWait has room for a scrape every 15 s, Prometheus' usual interval
// being 15 s to a minute.
const (
	defaultWait = 30 * time.Second
	maxWait     = 600 // seconds: more would be most of a campaign
)

var (
	prometheusKeys = document.Keys{Valid: []string{"url", "wait", "token", "username", "password", "queries"}}
	secretKeys     = document.Keys{Valid: []string{"file", "env"}}
	queryKeys      = document.Keys{Valid: []string{"name", "unit", "better", "scale", "margin", "query"}}
)

func (d *decoder) prometheus(n *yaml.Node, cells []Cell) *Prometheus {
	p := &Prometheus{Wait: defaultWait}
	fields, ok := d.Object(n, "prometheus", prometheusKeys)
	if !ok {
		return p
	}
	if v := d.Required(n, fields, "url", "add url: http://prometheus.example.com:9090"); v != nil {
		d.serverURL(v, &p.URL)
	}
	if v := fields["wait"]; v != nil {
		seconds := int(defaultWait.Seconds())
		d.Integer(v, "wait", 1, maxWait, &seconds)
		p.Wait = time.Duration(seconds) * time.Second
	}
	d.credentials(n, fields, p)
	if v := d.Required(n, fields, "queries", "add queries: with name, unit, better, margin and query each"); v != nil {
		p.Queries = d.queries(v, cells)
	}
	return p
}

// serverURL refuses a password: the campaign is kept with the results.
func (d *decoder) serverURL(n *yaml.Node, into *string) {
	if !d.NonEmpty(n, "url", "write http://HOST:PORT", into) {
		return
	}
	scheme, rest, found := strings.Cut(*into, "://")
	authority, _, _ := strings.Cut(rest, "/")
	switch {
	case !found || scheme != "http" && scheme != "https" || authority == "":
		d.Report(n, "url "+document.Describe(n)+" is not http://… or https://…", "write http://HOST:PORT")
	case strings.Contains(authority, "@"):
		d.Report(n, "url has a user in it, and would be kept with the results", "write username: NAME and password: {env: NAME} instead")
	case strings.HasSuffix(strings.TrimSuffix(rest, "/"), "/api/v1"):
		d.Report(n, "url ends in /api/v1, which cnibench adds itself", "write "+strings.TrimSuffix(strings.TrimSuffix(*into, "/"), "/api/v1"))
	}
	*into = strings.TrimSuffix(*into, "/")
}

func (d *decoder) credentials(n *yaml.Node, fields document.Fields, p *Prometheus) {
	if v := fields["token"]; v != nil {
		p.Token = d.secret(v, "token")
	}
	if v := fields["username"]; v != nil {
		d.NonEmpty(v, "username", "write a name, or remove it", &p.Username)
	}
	if v := fields["password"]; v != nil {
		p.Password = d.secret(v, "password")
	}
	switch {
	case fields["token"] != nil && fields["username"] != nil:
		d.Report(n, "prometheus has both token and username", "keep one of the two")
	case (fields["username"] != nil) != (fields["password"] != nil):
		d.Report(n, "prometheus needs username and password together", "write username: NAME and password: {env: NAME}")
	}
}

// secret reads where a secret is. The secret itself is not to be written here.
func (d *decoder) secret(n *yaml.Node, key string) Secret {
	var s Secret
	hint := "write " + key + ": {env: NAME} or " + key + ": {file: NAME}; the secret itself does not belong into a campaign"
	if n.Kind != yaml.MappingNode {
		d.Report(n, key+" must say where it is", hint) // without what is there
		return s
	}
	fields, ok := d.Object(n, key, secretKeys)
	if !ok {
		return s
	}
	d.onlyOne(n, key, secretKeys.Valid)
	switch {
	case fields["file"] != nil:
		d.NonEmpty(fields["file"], "file", hint, &s.File)
	case fields["env"] != nil:
		d.NonEmpty(fields["env"], "env", hint, &s.Env)
	default:
		d.Report(n, key+" must say where it is", hint)
	}
	return s
}

func (d *decoder) queries(n *yaml.Node, cells []Cell) []Query {
	elements, ok := d.List(n, "queries", "write a list: [{name: NAME, unit: UNIT, better: lower, margin: 2, query: PROMQL}]")
	if !ok {
		return nil
	}
	measured := ScenarioInfo{Metrics: d.measured(cells)}.metricNames()
	var queries []Query
	for _, e := range elements {
		q, node := d.query(e)
		if node == nil {
			continue
		}
		switch {
		case slices.ContainsFunc(queries, func(other Query) bool { return other.Name == q.Name }):
			d.Report(node, fmt.Sprintf("two queries are called %q", q.Name), "give one of the two another name")
		case slices.Contains(measured, q.Name), strings.HasPrefix(q.Name, "cni-"):
			d.Report(node, fmt.Sprintf("%q is a metric of cnibench's own", q.Name), "give it another name, such as prometheus-"+q.Name)
		}
		queries = append(queries, q)
	}
	return queries
}

// What cnibench replaces in a query, and what looks as if it did.
const windowWord = "$window"

var placeholder = regexp.MustCompile(`\$[A-Za-z_]\w*`)

// query reads one query, and returns the node of its name, nil without one.
func (d *decoder) query(n *yaml.Node) (Query, *yaml.Node) {
	q := Query{Scale: "difference"}
	fields, ok := d.Object(n, "a query", queryKeys)
	if !ok {
		return q, nil
	}
	name := d.Required(n, fields, "name", "add name: NAME")
	if name != nil {
		d.Label(name, "name", &q.Name)
	}
	if v := d.Required(n, fields, "unit", "add unit: UNIT, such as celsius"); v != nil {
		d.NonEmpty(v, "unit", "write a unit, such as celsius", &q.Unit)
	}
	if v := d.Required(n, fields, "better", "add better: lower or better: higher"); v != nil {
		d.Choice(v, "better", []string{"higher", "lower"}, &q.Better)
	}
	if v := fields["scale"]; v != nil {
		d.Choice(v, "scale", []string{"difference", "ratio"}, &q.Scale)
	}
	if v := d.Required(n, fields, "margin", "add margin: the smallest difference that matters"); v != nil {
		d.margin(v, MetricInfo{Name: q.Name, Unit: q.Unit, Scale: q.Scale}, &q.Margin)
	}
	if v := d.Required(n, fields, "query", "add query: PROMQL that gives one number"); v != nil {
		d.NonEmpty(v, "query", "write PromQL that gives one number", &q.Query)
		if word := placeholder.FindString(strings.ReplaceAll(q.Query, windowWord, "")); word != "" {
			d.Report(v, "query has "+word+", which nothing replaces", "write "+windowWord+" for the length of the window, or a duration such as 1m")
		}
	}
	return q, name
}
