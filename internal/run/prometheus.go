package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/prometheus"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// ConnectPrometheus prepares the server of a plan, which may have none: then it
// returns nil. Secrets that are not where the plan says are an error now, not
// after the first trial.
func ConnectPrometheus(p *plan.Prometheus) (*prometheus.Server, error) {
	if p == nil {
		return nil, nil
	}
	token, err := secret("token", p.Token)
	if err != nil {
		return nil, err
	}
	password, err := secret("password", p.Password)
	if err != nil {
		return nil, err
	}
	return prometheus.Connect(prometheus.Config{
		URL: p.URL, Wait: time.Duration(p.Wait) * time.Second, Token: token, Username: p.Username, Password: password,
	})
}

// secret reads a secret; none is empty.
func secret(what string, s plan.Secret) (string, error) {
	var text string
	switch {
	case s.File != "":
		data, err := os.ReadFile(s.File)
		if err != nil {
			return "", fmt.Errorf("reading the %s for prometheus: %w", what, err)
		}
		text = strings.TrimSpace(string(data))
	case s.Env != "":
		text = os.Getenv(s.Env)
	default:
		return "", nil
	}
	if text == "" {
		return "", fmt.Errorf("the %s for prometheus is empty: %s%s", what, s.File, s.Env)
	}
	return text, nil
}

// askPrometheus adds to an ok measurement what the user's Prometheus has of its
// window. What it has not is missing with the reason, and fails no trial.
func (r *Runner) askPrometheus(ctx context.Context, m *stage.Measurement) {
	if r.Prometheus == nil || r.Plan.Prometheus == nil {
		return
	}
	if m.Missing == nil {
		m.Missing = map[string]string{}
	}
	behind := r.Prometheus.Await(ctx, m.Window.End)
	for _, q := range r.Plan.Prometheus.Queries {
		n, err := prometheus.Number{}, behind
		if err == nil {
			n, err = r.Prometheus.Ask(ctx, q.Query, m.Window.Start, m.Window.End)
		}
		if err == nil && result.Scale(q.Scale) == result.Ratio && n.Value <= 0 {
			err = errors.New("the answer is not above 0, which the ratio scale needs")
		}
		if err != nil {
			m.Missing[q.Name] = strings.Join(strings.Fields(err.Error()), " ")
			continue
		}
		v := result.Value{Value: n.Value, Metric: result.Metric{
			Name: q.Name, Unit: q.Unit, Better: result.Better(q.Better), Scale: result.Scale(q.Scale), Margin: q.Margin,
			Help: "asked of Prometheus at the end of the window: " + q.Query,
		}}
		if n.Warning != "" {
			v.Partial = "prometheus warns: " + n.Warning
		}
		m.Values = append(m.Values, v)
	}
}
