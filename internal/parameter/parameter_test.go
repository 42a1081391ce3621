package parameter_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/parameter"
)

func TestParse(t *testing.T) {
	seconds := parameter.Parameter{Kind: parameter.Duration, Min: "1s", Max: "1h", Step: "1s"}
	for _, tt := range []struct {
		p          parameter.Parameter
		text, want string // no want: refused
	}{
		{seconds, "10s", "10s"},
		{seconds, "60s", "1m"},
		{seconds, "90s", "1m30s"},
		{seconds, "1h", "1h"},
		{seconds, "1.5s", ""},
		{seconds, "0s", ""},
		{seconds, "2h", ""},
		{seconds, "10", ""},
		{seconds, "-1s", ""},
		{parameter.Parameter{Kind: parameter.Duration}, "200ms", "200ms"},
		{parameter.Parameter{Kind: parameter.Integer, Min: "1", Max: "128"}, "8", "8"},
		{parameter.Parameter{Kind: parameter.Integer, Min: "1", Max: "128"}, "129", ""},
		{parameter.Parameter{Kind: parameter.Integer}, "010", ""},
		{parameter.Parameter{Kind: parameter.Integer}, "1.5", ""},
		{parameter.Parameter{Kind: parameter.Number, Max: "1"}, "0.50", "0.5"},
		{parameter.Parameter{Kind: parameter.Number, Max: "1"}, "1.1", ""},
		{parameter.Parameter{Kind: parameter.Bytes}, "65536", "64KiB"},
		{parameter.Parameter{Kind: parameter.Bytes}, "64KiB", "64KiB"},
		{parameter.Parameter{Kind: parameter.Bytes}, "1500", "1500"},
		{parameter.Parameter{Kind: parameter.Bytes}, "0", "0"},
		{parameter.Parameter{Kind: parameter.Bytes}, "64k", ""},
		{parameter.Parameter{Kind: parameter.Rate}, "2.5Gbit", "2500Mbit"},
		{parameter.Parameter{Kind: parameter.Rate}, "10Gbit/s", "10Gbit"},
		{parameter.Parameter{Kind: parameter.Rate}, "0bit", "0bit"},
		{parameter.Parameter{Kind: parameter.Rate}, "100", ""},
		{parameter.Parameter{Kind: parameter.Choice, Choices: []string{"a", "b"}}, "b", "b"},
		{parameter.Parameter{Kind: parameter.Choice, Choices: []string{"a", "b"}}, "c", ""},
		{parameter.Parameter{Kind: parameter.Text}, "fd00::1", "fd00::1"},
		{parameter.Parameter{Kind: parameter.Text}, "../up", ""},
		{parameter.Parameter{Kind: parameter.Boolean}, "true", "true"},
		{parameter.Parameter{Kind: parameter.Boolean}, "yes", ""},
	} {
		got, err := tt.p.Parse(tt.text)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s %q: %q, %v; want %q", tt.p.Kind, tt.text, got, err, tt.want)
		}
	}
}

func TestDomain(t *testing.T) {
	for _, tt := range []struct {
		p    parameter.Parameter
		want string
	}{
		{parameter.Parameter{Kind: parameter.Duration, Min: "1s", Max: "1h", Step: "1s"}, "a duration in whole seconds from 1s to 1h"},
		{parameter.Parameter{Kind: parameter.Integer, Min: "1"}, "a whole number from 1 on"},
		{parameter.Parameter{Kind: parameter.Bytes, Max: "64KiB", Step: "4"}, "a number of bytes in steps of 4 of at most 64KiB"},
		{parameter.Parameter{Kind: parameter.Choice, Choices: []string{"pod", "host"}}, "one of pod, host"},
	} {
		if got := tt.p.Domain(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// What is beyond a bound is told of the bound, not of the default.
func TestHintFor(t *testing.T) {
	streams := parameter.Parameter{Name: "streams", Kind: parameter.Integer, Default: []string{"8"}, Min: "1", Max: "128"}
	size := parameter.Parameter{Name: "size", Kind: parameter.Bytes, Default: []string{"64"}, Min: "1", Max: "64KiB"}
	for _, tt := range []struct {
		p          parameter.Parameter
		text, want string
	}{
		{streams, "129", "write streams: 128 or less"},
		{streams, "0", "write streams: 1 or more"},
		{streams, "many", "write a number such as streams: 8"},
		{size, "1MiB", "write size: 64KiB or less"},
		{parameter.Parameter{Name: "rate", Kind: parameter.Integer, Default: []string{"5"}, Min: "1"}, "x", "write a number such as rate: 5"},
		{parameter.Parameter{Name: "event", Kind: parameter.Choice, Choices: []string{"a", "b"}}, "c", "write one of a, b"},
	} {
		if got := tt.p.HintFor(tt.text); got != tt.want {
			t.Errorf("%s: %s: %q, want %q", tt.p.Name, tt.text, got, tt.want)
		}
	}
}

func TestValues(t *testing.T) {
	v := parameter.Values{"duration": "1m30s", "streams": "8", "load": "0.8", "size": "64KiB", "rate": "2500Mbit", "path": "pod-ip", "idle": "true"}
	if v.Duration("duration") != 90*time.Second || v.Integer("streams") != 8 || v.Number("load") != 0.8 || v.Bytes("size") != 65536 ||
		v.Rate("rate") != 2.5e9 || v.Text("path") != "pod-ip" || !v.Boolean("idle") {
		t.Errorf("read back as something else: %v", v)
	}
	if v.Has("other") || !v.Has("load") {
		t.Error("Has is wrong")
	}
	for name, read := range map[string]func(){
		"not declared": func() { v.Integer("other") },
		"other kind":   func() { v.Integer("path") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			read()
		}()
	}
}

// Whatever is accepted has one canonical text.
func FuzzParse(f *testing.F) {
	kinds := []parameter.Kind{
		parameter.Duration, parameter.Integer, parameter.Number, parameter.Bytes, parameter.Rate, parameter.Text, parameter.Boolean,
	}
	for _, text := range []string{"10s", "1h0m1s", "8", "0.5", "64KiB", "2.5Gbit/s", "a-b", "true", "9007199254740993"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, k := range kinds {
			p := parameter.Parameter{Name: "p", Kind: k}
			canonical, err := p.Parse(text)
			if err != nil {
				continue
			}
			again, err := p.Parse(canonical)
			if err != nil || again != canonical {
				t.Errorf("%s %q: %q, then %q, %v", k, text, canonical, again, err)
			}
		}
	})
}

func TestDefaults(t *testing.T) {
	p := parameter.Parameter{Name: "size", Kind: parameter.Bytes}.With("1", "65536")
	if got := p.Defaults(); !slices.Equal(got, []string{"1", "64KiB"}) {
		t.Errorf("defaults %v", got)
	}
}
