package plan

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/cnibench/cnibench/internal/parameter"
)

// version1 is the layout in which a cell had four parameters and a field for
// each.
const version1 = "cnibench.io/plan/v1"

// fromVersion1 fills in the parameters of a plan that was read from such a
// document.
func fromVersion1(p Plan, document []byte) (Plan, error) {
	var old struct {
		Cells []struct {
			DurationNs time.Duration `json:"durationNs"`
			OmitNs     time.Duration `json:"omitNs"`
			Streams    int           `json:"streams"`
			Placement  string        `json:"placement"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(document, &old); err != nil {
		return Plan{}, err
	}
	for i, c := range old.Cells {
		p.Cells[i].Parameters = parameter.Values{
			"duration": c.DurationNs.String(), "omit": c.OmitNs.String(), "streams": strconv.Itoa(c.Streams),
			parameter.Placement: c.Placement,
		}
	}
	return p, nil
}
