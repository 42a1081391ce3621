package probe

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/cnibench/cnibench/internal/probe/stream"
)

// KeptSpec asks for one end of a stream that outlives the connection by which
// it was started: it serves orders of later ones, and ends by an order or when
// its life is over, whatever has become of its caller.
type KeptSpec struct {
	Life time.Duration   `json:"lifeNs"`
	End  json.RawMessage `json:"end"` // a [stream.SendSpec] or [stream.ReceiveSpec]
}

// Validate reports what makes s unusable.
func (s KeptSpec) Validate() error {
	if s.Life <= 0 || s.Life > 24*time.Hour {
		return fmt.Errorf("a life of %s: it can last up to a day", s.Life)
	}
	if len(s.End) == 0 {
		return errors.New("there is no specification of an end")
	}
	return nil
}

// KeptReady says that a kept end serves orders.
type KeptReady struct {
	Name string          `json:"name"` // for whoever gives orders, in the same network namespace
	End  json.RawMessage `json:"end"`  // a [stream.SendReady] or [stream.ReceiveReady]
}

// KeptOrder is what a kept end is told; exactly one of its fields is set. Only
// the last one is for either end.
type KeptOrder struct {
	// Start begins a trial of a sender, and is answered at once, by
	// [stream.Begun]. Collect is answered by [stream.Sent] when it has ended.
	Start   *stream.SendOrder `json:"start,omitempty"`
	Collect bool              `json:"collect,omitempty"`
	// Receive is an order to a receiver.
	Receive *stream.ReceiveOrder `json:"receive,omitempty"`
	// Quit ends the process.
	Quit bool `json:"quit,omitempty"`
}
