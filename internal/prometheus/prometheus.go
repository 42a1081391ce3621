// Package prometheus asks a Prometheus that the user has for one number per
// query, as of the end of a span of time. It changes nothing there.
package prometheus

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/api"
	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
)

const (
	queryTimeout = 10 * time.Second
	// tries bounds how often a server is asked that does not answer.
	tries = 3
	pause = time.Second
	// newest is when the target that was scraped longest ago was scraped: a
	// server writes up for every target at every scrape, also of one that is
	// down.
	newest = "min(timestamp(up))"
)

// Window in a query stands for the length of the span.
const Window = "$window"

// Config says where a server is and how to be let in.
type Config struct {
	URL                string
	Wait               time.Duration // for which the server may be behind
	Token              string        // bearer
	Username, Password string
}

// Server is a connection to one.
type Server struct {
	api  v1.API
	url  string
	wait time.Duration
}

// Connect prepares a connection. Nothing is sent yet.
func Connect(c Config) (*Server, error) {
	client, err := api.NewClient(api.Config{Address: c.URL, RoundTripper: &credentials{c, http.DefaultTransport}})
	if err != nil {
		return nil, fmt.Errorf("prometheus %s: %w", c.URL, err)
	}
	return &Server{v1.NewAPI(client), c.URL, c.Wait}, nil
}

// credentials adds to requests what lets them in.
type credentials struct {
	Config
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (c *credentials) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context()) // a RoundTripper must not change what it is given
	switch {
	case c.Token != "":
		r.Header.Set("Authorization", "Bearer "+c.Token)
	case c.Username != "":
		r.SetBasicAuth(c.Username, c.Password)
	}
	return c.next.RoundTrip(r)
}

// Number is what a query gave.
type Number struct {
	Value   float64
	Warning string // of the server, such as that stores did not answer; empty: none
}

// Await returns when the server has data of after the given time, or with an
// error when it has not after the time for which it may be behind. A server
// without any scrapes of its own, whose data is written by others, cannot tell:
// it is given the whole time.
func (s *Server) Await(ctx context.Context, end time.Time) error {
	deadline := time.Now().Add(s.wait)
	failed := 0
	for {
		n, err := s.ask(ctx, newest, time.Now())
		var answer *answerError
		switch {
		case err == nil && n.Value >= float64(end.UnixNano())/1e9:
			return nil
		case err == nil:
			failed, err = 0, fmt.Errorf("its targets were last scraped %.1f s before the window's end", float64(end.UnixNano())/1e9-n.Value)
		case errors.As(err, &answer):
			failed = 0
		default:
			if failed++; failed == tries || refused(err) {
				return fmt.Errorf("prometheus %s: %w", s.url, err)
			}
		}
		if time.Now().Add(pause).After(deadline) {
			if answer != nil && answer.empty {
				return nil
			}
			return fmt.Errorf("prometheus %s is more than %s behind: %w", s.url, s.wait, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// Ask evaluates a query at the end of a span. The error says why there is not
// one finite number.
func (s *Server) Ask(ctx context.Context, query string, start, end time.Time) (Number, error) {
	query = strings.ReplaceAll(query, Window, duration(end.Sub(start)))
	var n Number
	var err error
	for range tries {
		if n, err = s.ask(ctx, query, end); err == nil || refused(err) || ctx.Err() != nil {
			break
		}
		time.Sleep(pause)
	}
	return n, err
}

// duration writes a span as PromQL has it, at least a millisecond.
func duration(d time.Duration) string {
	return strconv.FormatInt(max(1, d.Milliseconds()), 10) + "ms"
}

// answerError says that the server answered, and not with one number.
type answerError struct {
	text  string
	empty bool
}

func (e *answerError) Error() string { return e.text }

func (s *Server) ask(ctx context.Context, query string, at time.Time) (Number, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	value, warnings, err := s.api.Query(ctx, query, at)
	if err != nil {
		return Number{}, explain(err)
	}
	x, err := number(value)
	return Number{x, strings.Join(warnings, "; ")}, err
}

// explain shortens an error to what the server or the network said.
func explain(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err // the address is known
	}
	return err
}

// refused tells whether asking again would give the same error.
func refused(err error) bool {
	var wrong *v1.Error
	var answer *answerError
	return errors.As(err, &answer) || errors.As(err, &wrong) && (wrong.Type == v1.ErrBadData || wrong.Type == v1.ErrClient)
}

// number reads an answer that is one finite number. Its error is an
// *answerError.
func number(value model.Value) (float64, error) {
	var x float64
	switch v := value.(type) {
	case *model.Scalar:
		x = float64(v.Value)
	case model.Vector:
		switch {
		case len(v) == 0:
			return 0, &answerError{"the answer is empty", true}
		case len(v) > 1:
			return 0, &answerError{fmt.Sprintf("the answer has %d series, such as %s and %s; aggregate them", len(v), v[0].Metric, v[1].Metric), false}
		case v[0].Histogram != nil:
			return 0, &answerError{"the answer is a histogram, not a number", false}
		}
		x = float64(v[0].Value)
	default:
		return 0, &answerError{fmt.Sprintf("the answer is a %s, not a number", value.Type()), false}
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, &answerError{fmt.Sprintf("the answer is %v", x), false}
	}
	return x, nil
}
