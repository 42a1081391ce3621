package workload

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/document"
)

// Parse reads a scenario file and, by readFile, the files that it names. The
// name of the file serves only to name it in problems. The error is of type
// document.Problems and lists all of them.
func Parse(file string, data []byte, readFile func(name string) ([]byte, error)) (Workload, error) {
	d := &decoder{Reader: document.Reader{File: file}, readFile: readFile}
	var w Workload
	if root := d.Root(data, "scenario", "docs/scenarios.md shows one"); root != nil {
		w = d.workload(root)
	}
	if len(d.Problems) > 0 {
		return Workload{}, d.Problems.InOrder()
	}
	return w.seal()
}

type decoder struct {
	document.Reader
	readFile func(name string) ([]byte, error)
	// doubtful tells that parameters or the server could not be read, so that
	// what refers to them cannot be judged.
	doubtful bool
}

var (
	rootKeys     = document.Keys{Valid: []string{"apiVersion", "kind", "metadata", "spec"}}
	metadataKeys = document.Keys{Valid: []string{"name"}}
	specKeys     = document.Keys{Valid: []string{
		"title", "description", "image", "files", "parameters", "requires", "server", "client", "window", "expected", "values", "facts",
	}}
	serverKeys = document.Keys{Valid: []string{"command", "listen", "udp"}}
	clientKeys = document.Keys{Valid: []string{"command"}}
)

func (d *decoder) workload(root *yaml.Node) Workload {
	var w Workload
	fields, ok := d.Object(root, "a scenario", rootKeys)
	if !ok {
		return w
	}
	d.Constant(root, fields, "apiVersion", APIVersion)
	d.Constant(root, fields, "kind", Kind)
	if n := d.Required(root, fields, "metadata", "add metadata: {name: NAME}"); n != nil {
		if metadata, ok := d.Object(n, "metadata", metadataKeys); ok {
			if name := d.Required(n, metadata, "name", "add name: NAME"); name != nil {
				d.Label(name, "name", &w.Name)
			}
		}
	}
	if n := d.Required(root, fields, "spec", "add spec: with client and values"); n != nil {
		d.spec(n, &w)
	}
	return w
}

func (d *decoder) spec(n *yaml.Node, w *Workload) {
	fields, ok := d.Object(n, "spec", specKeys)
	if !ok {
		return
	}
	if title := d.Required(n, fields, "title", "add title: one line that says what is measured"); title != nil {
		d.NonEmpty(title, "title", "say in one line what is measured", &w.Title)
	}
	d.optional(fields["description"], "description", &w.Description)
	d.optional(fields["image"], "image", &w.Image)
	d.files(fields["files"], &w.Files)
	d.requires(fields["requires"], &w.Requires)
	before := len(d.Problems)
	d.parameters(fields["parameters"], &w.Parameters)
	d.doubtful = len(d.Problems) > before
	d.server(fields["server"], w)
	d.doubtful = len(d.Problems) > before
	if client := d.Required(n, fields, "client", "add client: {command: [PROGRAM, …]}"); client != nil {
		if of, ok := d.Object(client, "client", clientKeys); ok {
			d.command(client, of, *w, &w.Client.Command)
		}
	}
	d.expected(n, fields["expected"], w)
	d.window(fields["window"], w)
	if values := d.Required(n, fields, "values", "add values: what to find in the client's output"); values != nil {
		d.values(values, &w.Values)
	}
	d.facts(fields["facts"], &w.Facts)
}

func (d *decoder) optional(n *yaml.Node, key string, into *string) {
	if n != nil {
		d.NonEmpty(n, key, "remove it, or say something", into)
	}
}

func (d *decoder) requires(n *yaml.Node, into *[]string) {
	if n == nil {
		return
	}
	elements, _ := d.List(n, "requires", "write requires: [services], or remove it")
	for _, e := range elements {
		var word string
		if d.Choice(e, "requires", Requirements, &word) && !slices.Contains(*into, word) {
			*into = append(*into, word)
		}
	}
}

func (d *decoder) server(n *yaml.Node, w *Workload) {
	if n == nil {
		return
	}
	fields, ok := d.Object(n, "server", serverKeys)
	if !ok {
		return
	}
	w.Server = &Server{}
	d.command(n, fields, *w, &w.Server.Command)
	if udp := fields["udp"]; udp != nil {
		d.Boolean(udp, "udp", &w.Server.UDP)
	}
	if listen := d.Required(n, fields, "listen", "add listen: PORT, the TCP port that says that the server is ready"); listen != nil {
		d.listen(listen, &w.Server.Listen)
	}
}

func (d *decoder) listen(n *yaml.Node, into *[]int) {
	elements := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		elements, _ = d.List(n, "listen", "write listen: 8080, or listen: [8080, 8081]")
	}
	for i, e := range elements {
		port := 8080 // for the hint
		d.Integer(e, "listen", 1, 65535, &port)
		if i > 0 && port != (*into)[i-1]+1 {
			d.Report(e, "the ports of listen must follow each other", "write listen: [8080, 8081]")
		}
		*into = append(*into, port)
	}
}

// command reads a program and its arguments, whose placeholders must be
// parameters'.
func (d *decoder) command(n *yaml.Node, fields document.Fields, w Workload, into *[]string) {
	list := d.Required(n, fields, "command", "add command: [PROGRAM, ARGUMENT, …]")
	if list == nil {
		return
	}
	elements, _ := d.List(list, "command", "write [PROGRAM, ARGUMENT, …]; for a shell [sh, -c, …]")
	for i, e := range elements {
		if e.Kind != yaml.ScalarNode || e.ShortTag() == "!!null" {
			d.Report(e, "command must hold words, not "+document.Describe(e), "put it in quotes")
			continue
		}
		if i == 0 && strings.TrimSpace(e.Value) == "" {
			d.Report(e, "command names no program", "write [PROGRAM, ARGUMENT, …]")
		}
		// A port or a count is a word like any other, quoted or not.
		*into = append(*into, e.Value)
		if i == 0 {
			d.program(e, w)
		}
		if _, err := w.argv([]string{e.Value}, nil, Target{}); err != nil && !d.doubtful {
			d.Report(e, "command: "+err.Error(), d.placeholders(w))
		}
	}
}

// program refuses one in Dir that is not among the files.
func (d *decoder) program(n *yaml.Node, w Workload) {
	name, below := strings.CutPrefix(n.Value, Dir+"/")
	if !below || d.doubtful || slices.ContainsFunc(w.Files, func(f File) bool { return f.Name == name }) {
		return
	}
	var names []string
	for _, f := range w.Files {
		names = append(names, f.Name)
	}
	d.Report(n, fmt.Sprintf("there is no %q among files", name), document.DidYouMean(name, names, "add it to files, with executable: true"))
}

func (d *decoder) placeholders(w Workload) string {
	var names []string
	if w.Server != nil {
		names = append(names, "${"+address+"}", "${"+port+"}")
	}
	for _, p := range w.Parameters {
		names = append(names, "${"+p.Name+"}")
		for form := range forms[p.Kind] {
			names = append(names, "${"+p.Name+"."+form+"}")
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		return "add parameters, or write $${ for a literal ${"
	}
	return "there are " + strings.Join(names, ", ") + "; write $${ for a literal ${"
}

// expected reads how long the client takes, which must be known from it or
// from the parameters.
func (d *decoder) expected(spec, n *yaml.Node, w *Workload) {
	timed := slices.ContainsFunc(w.Parameters, func(p parameterOf) bool { return p.Name == durationName })
	if n == nil {
		if !timed && !d.doubtful {
			d.Report(spec, "nothing says how long the client takes", "add a parameter named duration, or expected: 30s")
		}
		return
	}
	var text string
	if !d.NonEmpty(n, "expected", "write a duration such as expected: 30s", &text) {
		return
	}
	took, err := time.ParseDuration(text)
	if err != nil || took < time.Second || took > 24*time.Hour {
		d.Report(n, "expected must be a duration from 1s to 24h, not "+document.Describe(n), "write a number and its unit, such as 30s or 1m30s")
		return
	}
	w.Expected = took
}

// fileName is the name of a file below Dir.
var fileName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$`)

var fileKeys = document.Keys{Valid: []string{"name", "from", "content", "executable"}}

func (d *decoder) files(n *yaml.Node, into *[]File) {
	if n == nil {
		return
	}
	elements, _ := d.List(n, "files", "write files: [{name: NAME, from: FILE}]")
	for _, e := range elements {
		f, ok := d.file(e)
		if !ok {
			continue
		}
		if slices.ContainsFunc(*into, func(g File) bool { return g.Name == f.Name }) {
			d.Report(e, fmt.Sprintf("there is a file %q already", f.Name), "give it another name")
			continue
		}
		*into = append(*into, f)
	}
}

func (d *decoder) file(n *yaml.Node) (File, bool) {
	var f File
	before := len(d.Problems)
	fields, ok := d.Object(n, "a file", fileKeys)
	if !ok {
		return f, false
	}
	if name := d.Required(n, fields, "name", "add name: NAME; the file is then "+Dir+"/NAME"); name != nil && d.Text(name, "name", &f.Name) && !fileName.MatchString(f.Name) {
		d.Report(name, "name "+document.Describe(name)+" is not that of a file in "+Dir, "use letters, digits, and . _ -")
	}
	if n := fields["executable"]; n != nil {
		d.Boolean(n, "executable", &f.Executable)
	}
	from, content := fields["from"], fields["content"]
	switch {
	case (from == nil) == (content == nil):
		d.Report(n, "a file needs either from or content", "write from: FILE, relative to this file, or content: its text")
	case content != nil:
		var text string
		d.Text(content, "content", &text)
		f.Content = []byte(text)
	default:
		f.Content = d.fileContent(from)
	}
	return f, len(d.Problems) == before
}

func (d *decoder) fileContent(n *yaml.Node) []byte {
	const hint = "the name is relative to the directory of the scenario file; a program of your own is built first"
	var name string
	if !d.NonEmpty(n, "from", hint, &name) {
		return nil
	}
	if d.readFile == nil {
		d.Report(n, "from: files cannot be read here", "write the text itself: content: …")
		return nil
	}
	data, err := d.readFile(name)
	if err != nil {
		d.Report(n, "from: "+strings.Join(strings.Fields(err.Error()), " "), hint)
		return nil
	}
	const largest = 64 << 20
	if len(data) > largest {
		d.Report(n, fmt.Sprintf("from: %s has %d MiB, more than %d", name, len(data)>>20, largest>>20), "put it into an image")
		return nil
	}
	return data
}
