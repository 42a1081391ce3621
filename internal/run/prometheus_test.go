package run

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// A fake server answers every query but one with 0, at a time long after.
func TestAskPrometheus(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		value := "0"
		switch query := r.FormValue("query"); {
		case strings.Contains(query, "timestamp"):
			value = fmt.Sprint(time.Now().Add(time.Hour).Unix())
		case query == "none":
			_, _ = io.WriteString(w, `{"status":"success","data":{"resultType":"vector","result":[]}}`)
			return
		}
		_, _ = fmt.Fprintf(w, `{"status":"success","warnings":["a store is away"],"data":{"resultType":"scalar","result":[1,"%s"]}}`, value)
	}))
	defer server.Close()
	p := &plan.Prometheus{URL: server.URL, Wait: 1, Queries: []plan.PrometheusQuery{
		{Name: "zero", Unit: "x", Better: "lower", Scale: "difference", Margin: 1, Query: "zero"},
		{Name: "ratio", Unit: "x", Better: "lower", Scale: "ratio", Margin: 0.1, Query: "zero"},
		{Name: "none", Unit: "x", Better: "lower", Scale: "difference", Margin: 1, Query: "none"},
	}}
	connected, err := ConnectPrometheus(p)
	if err != nil {
		t.Fatal(err)
	}
	r := Runner{Plan: plan.Plan{Prometheus: p}, Prometheus: connected}
	now := time.Now()
	m := stage.Measurement{Window: result.Window{Start: now.Add(-time.Second), End: now}}
	r.askPrometheus(t.Context(), &m)
	if len(m.Values) != 1 || m.Values[0].Name != "zero" || m.Values[0].Value != 0 || m.Values[0].Partial != "prometheus warns: a store is away" {
		t.Errorf("values %+v", m.Values)
	}
	if len(m.Missing) != 2 || m.Missing["none"] != "the answer is empty" || !strings.Contains(m.Missing["ratio"], "not above 0") {
		t.Errorf("missing %+v", m.Missing)
	}
}

func TestSecrets(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(" abc\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CNIBENCH_TEST_SECRET", "def")
	for want, s := range map[string]plan.Secret{"abc": {File: file}, "def": {Env: "CNIBENCH_TEST_SECRET"}, "": {}} {
		if got, err := secret("token", s); err != nil || got != want {
			t.Errorf("%+v: %q, %v", s, got, err)
		}
	}
	for _, s := range []plan.Secret{{File: file + "x"}, {Env: "CNIBENCH_TEST_NO_SUCH_VARIABLE"}} {
		if _, err := secret("token", s); err == nil {
			t.Errorf("%+v is not there and was read", s)
		}
	}
}
