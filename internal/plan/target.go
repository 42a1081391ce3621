package plan

import (
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/campaign"
)

// Target is a server that is there already, which load goes to.
type Target struct {
	Name string `json:"name"` // by which parameters call it
	URL  string `json:"url"`  // of http or https
	// Host is asked for in place of the URL's, as the header and, over TLS,
	// where the URL has an IP address, as the name of the server.
	Host     string `json:"host,omitempty"`
	Insecure bool   `json:"insecure,omitempty"` // its certificate is not checked
}

// Description says in one line what is asked, such as "shop, https://192.0.2.7/
// as shop.example.com, whose certificate is not checked".
func (t Target) Description() string {
	words := []string{t.Name + ",", t.URL}
	if t.Host != "" {
		words = append(words, "as", t.Host)
	}
	text := strings.Join(words, " ")
	if t.Insecure {
		text += ", whose certificate is not checked"
	}
	return text
}

// TargetDescription says whom the cell asks; empty where that is a server of
// ours.
func (c Cell) TargetDescription() string {
	if c.Target == nil {
		return ""
	}
	return c.Target.Description()
}

// Targets lists the targets of all cells, in the order in which cells first
// name them.
func (p Plan) Targets() []Target {
	var all []Target
	for _, c := range p.Cells {
		if c.Target != nil && !slices.Contains(all, *c.Target) {
			all = append(all, *c.Target)
		}
	}
	return all
}

func expandCell(c campaign.Cell) Cell {
	cell := Cell{ID: c.ID, Scenario: c.Scenario, Parameters: c.Parameters, Definition: c.Definition}
	if c.Target != nil {
		t := Target(*c.Target)
		cell.Target = &t
	}
	return cell
}
