package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

const (
	// beat is after how long a status is sent again although nothing changed,
	// so that both ends notice when the other one is gone.
	beat = 15 * time.Second
	// eventTimeout is how long a browser may take to read one.
	eventTimeout = 10 * time.Second
)

// stream sends a status as a Server-Sent Event at once, whenever it has
// changed, and now and then, until the reader or the server goes.
func (s *server) stream(ctx context.Context, w http.ResponseWriter, r *http.Request, look func() status) {
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if r.Method == http.MethodHead {
		return
	}
	control := http.NewResponseController(w)
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	var sent status
	var sentAt time.Time
	for {
		if now := look(); now != sent || time.Since(sentAt) >= beat {
			if err := send(w, control, now); err != nil {
				return // the reader has gone
			}
			sent, sentAt = now, time.Now()
		}
		select {
		case <-r.Context().Done():
			return
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// send writes one event. JSON has no line breaks, so it is one line of data.
func send(w http.ResponseWriter, control *http.ResponseController, st status) error {
	data, err := json.Marshal(st)
	if err != nil {
		return err
	}
	if err := control.SetWriteDeadline(time.Now().Add(eventTimeout)); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "event: status\ndata: %s\n\n", data); err != nil {
		return err
	}
	return control.Flush()
}
