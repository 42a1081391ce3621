package export_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const dashboards = "../../deploy/dashboards"

// dashboard is what of Grafana's model must fit together, whatever the
// version.
type dashboard struct {
	UID           string `json:"uid"`
	Title         string
	SchemaVersion int
	Templating    struct {
		List []struct {
			Name, Type, Query string
			Datasource        source
		}
	}
	Links  []struct{ URL string }
	Panels []panel
}

type source struct{ Type, UID string }

type panel struct {
	ID          int
	Type, Title string
	Datasource  source
	GridPos     struct{ X, Y, W, H int }
	Targets     []struct {
		RefID  string `json:"refId"`
		Expr   string
		Format string
	}
}

var fromVariable = source{"prometheus", "${datasource}"}

func readDashboards(t *testing.T) map[string]dashboard {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dashboards, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no dashboards: %v", err)
	}
	all := map[string]dashboard{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var d dashboard
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all[filepath.Base(file)] = d
	}
	return all
}

func TestDashboards(t *testing.T) {
	all := readDashboards(t)
	uids := map[string]string{}
	for file, d := range all {
		if other, taken := uids[d.UID]; taken || d.UID == "" {
			t.Errorf("%s and %s have the uid %q", file, other, d.UID)
		}
		uids[d.UID] = file
	}
	for file, d := range all {
		t.Run(file, func(t *testing.T) {
			if d.Title == "" || d.SchemaVersion == 0 || len(d.Panels) == 0 {
				t.Errorf("title %q, schema %d, %d panels", d.Title, d.SchemaVersion, len(d.Panels))
			}
			for _, link := range d.Links {
				if _, ok := uids[strings.TrimPrefix(link.URL, "/d/")]; !ok {
					t.Errorf("the link %s leads nowhere", link.URL)
				}
			}
			checkVariables(t, d)
			checkPanels(t, d)
		})
	}
}

var uses = regexp.MustCompile(`\$\{?([a-z_]+)`)

// checkVariables wants every variable to be defined before it is used, and the
// first to choose the data source.
func checkVariables(t *testing.T, d dashboard) {
	defined := map[string]bool{"__range": true, "__interval": true, "__rate_interval": true}
	want := func(where, text string) {
		for _, use := range uses.FindAllStringSubmatch(text, -1) {
			if !defined[use[1]] {
				t.Errorf("%s uses $%s, which is not defined there", where, use[1])
			}
		}
	}
	for i, v := range d.Templating.List {
		if (i == 0) != (v.Type == "datasource") {
			t.Errorf("variable %d, %s, is a %s", i+1, v.Name, v.Type)
		}
		if v.Type == "query" && v.Datasource != fromVariable {
			t.Errorf("variable %s asks %+v", v.Name, v.Datasource)
		}
		want("variable "+v.Name, v.Query)
		defined[v.Name] = true
	}
	for _, name := range []string{"campaign", "run", "scenario", "cell"} {
		if !defined[name] {
			t.Errorf("there is no variable %s", name)
		}
	}
	for _, p := range d.Panels {
		want(p.Title, p.Title)
		for _, target := range p.Targets {
			want(p.Title, target.Expr)
		}
	}
}

// checkPanels wants panels that do not lie on each other, with numbers and
// queries of their own.
func checkPanels(t *testing.T, d dashboard) {
	ids := map[int]bool{}
	for i, p := range d.Panels {
		g := p.GridPos
		if ids[p.ID] || p.ID == 0 {
			t.Errorf("%s has the id %d, as another", p.Title, p.ID)
		}
		ids[p.ID] = true
		if g.W < 1 || g.H < 1 || g.X < 0 || g.Y < 0 || g.X+g.W > 24 {
			t.Errorf("%s lies at %+v of 24 columns", p.Title, g)
		}
		for _, other := range d.Panels[:i] {
			o := other.GridPos
			if g.X < o.X+o.W && o.X < g.X+g.W && g.Y < o.Y+o.H && o.Y < g.Y+g.H {
				t.Errorf("%s lies on %s", p.Title, other.Title)
			}
		}
		if p.Datasource != fromVariable || p.Type == "" || p.Title == "" || len(p.Targets) == 0 {
			t.Errorf("panel %d: %+v", p.ID, p)
		}
		refs := map[string]bool{}
		for _, target := range p.Targets {
			if refs[target.RefID] || target.RefID == "" || target.Expr == "" || (p.Type == "table") != (target.Format == "table") {
				t.Errorf("%s: query %+v", p.Title, target)
			}
			refs[target.RefID] = true
		}
	}
}

// What the compose file mounts is there: every dashboard, and how Grafana
// finds them and the database.
func TestCompose(t *testing.T) {
	read := func(name string, into any) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dashboards, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(text, into); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	var compose struct {
		Services map[string]struct {
			Image          string
			Ports, Volumes []string
		}
	}
	read("compose.yaml", &compose)
	mounted := map[string]string{}
	for name, s := range compose.Services {
		if s.Image == "" || len(s.Ports) == 0 {
			t.Errorf("service %s: %+v", name, s)
		}
		for _, port := range s.Ports {
			if !strings.HasPrefix(port, "127.0.0.1:") {
				t.Errorf("%s listens beyond this machine: %s", name, port)
			}
		}
		for _, volume := range s.Volumes {
			parts := strings.Split(volume, ":")
			if _, err := os.Stat(filepath.Join(dashboards, parts[0])); err != nil || len(parts) != 3 || parts[2] != "ro" {
				t.Errorf("%s mounts %s: %v", name, volume, err)
			}
			mounted[filepath.Base(parts[0])] = parts[1]
		}
	}
	var provider struct {
		Providers []struct {
			Type    string
			Options struct{ Path string }
		}
	}
	read("provisioning/dashboards/cnibench.yaml", &provider)
	for file := range readDashboards(t) {
		if mounted[file] != filepath.Join(provider.Providers[0].Options.Path, file) {
			t.Errorf("%s is mounted at %q, Grafana looks in %q", file, mounted[file], provider.Providers[0].Options.Path)
		}
	}
	var sources struct {
		Datasources []struct{ Name, Type, URL string }
	}
	read("provisioning/datasources/victoriametrics.yaml", &sources)
	if d := sources.Datasources[0]; d.Type != "prometheus" || d.URL != "http://victoriametrics:8428" || compose.Services["victoriametrics"].Image == "" {
		t.Errorf("data source %+v", d)
	}
}
