package campaign

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Cell is one scenario with all its parameters fixed.
type Cell struct {
	ID        string
	Scenario  string
	Duration  time.Duration
	Omit      time.Duration
	Streams   int
	Placement string
}

// Cells lists the cells of the campaign in the order of the file. A cell's id
// is the name of its scenario, followed by ".key=value" for each parameter in
// which the cells of that scenario differ, so that ids are unique and a
// campaign that varies nothing has plain names.
func (s Spec) Cells() []Cell {
	var cells []Cell
	ofScenario := map[string][]Cell{}
	for _, scenario := range s.Scenarios {
		more := scenario.cells()
		cells = append(cells, more...)
		ofScenario[scenario.Name] = append(ofScenario[scenario.Name], more...)
	}
	varying := map[string][]parameter{}
	for name, group := range ofScenario {
		varying[name] = varyingParameters(group)
	}
	for i := range cells {
		cells[i].ID = cells[i].id(varying[cells[i].Scenario])
	}
	return cells
}

// cells returns the combinations of the scenario's lists, without ids.
func (s Scenario) cells() []Cell {
	cells := make([]Cell, 0, len(s.Streams)*len(s.Placement))
	for _, streams := range s.Streams {
		for _, placement := range s.Placement {
			cells = append(cells, Cell{
				Scenario: s.Name, Duration: s.Duration, Omit: s.Omit, Streams: streams, Placement: placement,
			})
		}
	}
	return cells
}

// parameter is a key of a scenario and how a cell's id writes its value.
type parameter struct {
	key   string
	value func(Cell) string
}

// parameters returns all of them, in the order in which an id names them.
func parameters() []parameter {
	return []parameter{
		{"duration", func(c Cell) string { return formatDuration(c.Duration) }},
		{"omit", func(c Cell) string { return formatDuration(c.Omit) }},
		{"streams", func(c Cell) string { return strconv.Itoa(c.Streams) }},
		{"placement", func(c Cell) string { return c.Placement }},
	}
}

func varyingParameters(cells []Cell) []parameter {
	var varying []parameter
	for _, p := range parameters() {
		for _, c := range cells[1:] {
			if p.value(c) != p.value(cells[0]) {
				varying = append(varying, p)
				break
			}
		}
	}
	return varying
}

func (c Cell) id(varying []parameter) string {
	var b strings.Builder
	b.WriteString(c.Scenario)
	for _, p := range varying {
		fmt.Fprintf(&b, ".%s=%s", p.key, p.value(c))
	}
	return b.String()
}

// formatDuration writes a duration as people do: 1m, not 1m0s.
func formatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
