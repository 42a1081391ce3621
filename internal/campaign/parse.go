package campaign

import "go.yaml.in/yaml/v3"

// Parse reads a campaign file. The name of the file serves only to name it in
// problems. The error is always of type Problems and lists all of them.
func Parse(file string, data []byte, known Known) (Campaign, error) {
	d := &decoder{file: file, known: known}
	c := d.campaign(d.document(data))
	if len(d.problems) > 0 {
		return Campaign{}, d.problems.inOrder()
	}
	return c, nil
}

// decoder walks the nodes of one file and collects what is wrong with them.
type decoder struct {
	file     string
	known    Known
	problems Problems
}

// report adds a problem at the place of n.
func (d *decoder) report(n *yaml.Node, message, hint string) {
	d.problems = append(d.problems, Problem{
		File: d.file, Line: max(1, n.Line), Column: n.Column, Message: message, Hint: hint,
	})
}

// rootKeys are the keys of a campaign file.
var rootKeys = keys{valid: []string{"apiVersion", "kind", "metadata", "spec"}}

func (d *decoder) campaign(root *yaml.Node) Campaign {
	c := Campaign{APIVersion: APIVersion, Kind: Kind}
	if root == nil {
		return c
	}
	fields, ok := d.object(root, "a campaign", rootKeys)
	if !ok {
		return c
	}
	d.constant(root, fields, "apiVersion", APIVersion)
	d.constant(root, fields, "kind", Kind)
	if n := d.required(root, fields, "metadata", "add metadata: {name: NAME}"); n != nil {
		c.Metadata = d.metadata(n)
	}
	if n := d.required(root, fields, "spec", `add spec: with variants and scenarios, as "cnibench init" shows`); n != nil {
		c.Spec = d.spec(n)
	}
	return c
}

func (d *decoder) constant(root *yaml.Node, fields fields, key, want string) {
	n := d.required(root, fields, key, "add "+key+": "+want)
	if n != nil && (n.Kind != yaml.ScalarNode || n.Value != want) {
		d.report(n, key+" must be "+want+", not "+describe(n), "write "+key+": "+want)
	}
}

// metadataKeys are the keys of metadata.
var metadataKeys = keys{valid: []string{"name"}}

func (d *decoder) metadata(n *yaml.Node) Metadata {
	var m Metadata
	fields, ok := d.object(n, "metadata", metadataKeys)
	if !ok {
		return m
	}
	if name := d.required(n, fields, "name", "add name: NAME"); name != nil {
		d.label(name, "name", &m.Name)
	}
	return m
}
