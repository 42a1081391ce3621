package plan

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/cnibench/cnibench/internal/parameter"
)

// Cell is one scenario with all its parameters fixed.
type Cell struct {
	ID         string           `json:"id"` // unique in the plan, e.g. tcp-pod-multi or tcp-pod-multi.streams=4
	Scenario   string           `json:"scenario"`
	Parameters parameter.Values `json:"parameters,omitempty"`
	// Definition is a digest of the file that defines the scenario if it is
	// the user's: without it nobody can tell what was measured.
	Definition string `json:"definition,omitempty"`
}

// UnmarshalJSON reads cells of version 1 too, which had four parameters and
// fields for them.
func (c *Cell) UnmarshalJSON(data []byte) error {
	type plain Cell // without this method
	var v1 struct {
		plain
		DurationNs *time.Duration `json:"durationNs"`
		OmitNs     *time.Duration `json:"omitNs"`
		Streams    int            `json:"streams"`
		Placement  string         `json:"placement"`
	}
	if err := json.Unmarshal(data, &v1); err != nil {
		return err
	}
	*c = Cell(v1.plain)
	if v1.DurationNs == nil || v1.OmitNs == nil || c.Parameters != nil {
		return nil
	}
	c.Parameters = parameter.Values{"duration": v1.DurationNs.String(), "omit": v1.OmitNs.String(), "streams": strconv.Itoa(v1.Streams)}
	if v1.Placement != "" {
		c.Parameters[parameter.Placement] = v1.Placement
	}
	return nil
}
