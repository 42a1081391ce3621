package campaign

import (
	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/document"
)

// Parse reads a campaign file. The name of the file serves only to name it in
// problems. The error is always of type Problems and lists all of them.
func Parse(file string, data []byte, known Known) (Campaign, error) {
	d := &decoder{Reader: document.Reader{File: file}, known: known}
	c := d.campaign(d.Root(data, "campaign", `"cnibench init" writes one to start from`))
	if len(d.Problems) > 0 {
		return Campaign{}, d.Problems.InOrder()
	}
	return c, nil
}

// Problem is one thing that is wrong with a campaign file.
type Problem = document.Problem

// Problems is everything that is wrong with a campaign file, in the order of
// its lines. It is the error that Parse returns.
type Problems = document.Problems

// decoder reads the nodes of one file.
type decoder struct {
	document.Reader
	known   Known
	targets targets
}

// rootKeys are the keys of a campaign file.
var rootKeys = document.Keys{Valid: []string{"apiVersion", "kind", "metadata", "spec"}}

func (d *decoder) campaign(root *yaml.Node) Campaign {
	c := Campaign{APIVersion: APIVersion, Kind: Kind}
	if root == nil {
		return c
	}
	fields, ok := d.Object(root, "a campaign", rootKeys)
	if !ok {
		return c
	}
	d.Constant(root, fields, "apiVersion", APIVersion)
	d.Constant(root, fields, "kind", Kind)
	if n := d.Required(root, fields, "metadata", "add metadata: {name: NAME}"); n != nil {
		c.Metadata = d.metadata(n)
	}
	if n := d.Required(root, fields, "spec", `add spec: with variants and scenarios, as "cnibench init" shows`); n != nil {
		c.Spec = d.spec(n)
	}
	return c
}

// metadataKeys are the keys of metadata.
var metadataKeys = document.Keys{Valid: []string{"name"}}

func (d *decoder) metadata(n *yaml.Node) Metadata {
	var m Metadata
	fields, ok := d.Object(n, "metadata", metadataKeys)
	if !ok {
		return m
	}
	if name := d.Required(n, fields, "name", "add name: NAME"); name != nil {
		d.Label(name, "name", &m.Name)
	}
	return m
}
