package parameter_test

import (
	"testing"

	"github.com/cnibench/cnibench/internal/parameter"
)

func TestShorten(t *testing.T) {
	seconds := parameter.Parameter{Kind: parameter.Duration, Min: "1s", Max: "1h", Step: "1s"}
	count := parameter.Parameter{Kind: parameter.Integer, Min: "10"}
	for _, tt := range []struct {
		p    parameter.Parameter
		text string
		n    float64
		want string
	}{
		{seconds, "60s", 1, "1m"},
		{seconds, "60s", 10, "6s"},
		{seconds, "60s", 7, "9s"},
		{seconds, "60s", 1000, "1s"},
		{seconds, "10m", 2.5, "4m"},
		{count, "1000", 30, "33"},
		{count, "1000", 1000, "10"},
		{count, "10", 3, "10"},
		{parameter.Parameter{Kind: parameter.Integer}, "5", 100, "1"},
		{parameter.Parameter{Kind: parameter.Integer}, "0", 100, "0"},
		{parameter.Parameter{Kind: parameter.Duration}, "1s", 4, "250ms"},
		{parameter.Parameter{Kind: parameter.Number, Min: "0.1"}, "1", 4, "0.25"},
	} {
		if got, err := tt.p.Shorten(tt.text, tt.n); err != nil || got != tt.want {
			t.Errorf("%s / %g: %q, %v; want %q", tt.text, tt.n, got, err, tt.want)
		}
	}
	if got, err := seconds.Shorten("1.5s", 2); err == nil {
		t.Errorf("half a second became %q", got)
	}
}
