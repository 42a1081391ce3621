package record

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/probe/recording"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

func TestParseSync(t *testing.T) {
	for text, want := range map[string]recording.Sync{
		"server":                {Role: "server", Address: ":7411"},
		"server=:9":             {Role: "server", Address: ":9"},
		"server=10.0.0.1:9":     {Role: "server", Address: "10.0.0.1:9"},
		"server=10.0.0.1":       {Role: "server", Address: "10.0.0.1:7411"},
		"client=node2":          {Role: "client", Address: "node2:7411"},
		"client=node2:80":       {Role: "client", Address: "node2:80"},
		"client=fd00::1":        {Role: "client", Address: "[fd00::1]:7411"},
		"client=[fd00::1]:7000": {Role: "client", Address: "[fd00::1]:7000"},
		"client=[fd00::1]":      {Role: "client", Address: "[fd00::1]:7411"},
	} {
		got, err := ParseSync(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, *got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	for text, want := range map[string]string{
		"":                "no role",
		"peer=a":          "no role",
		"client":          "needs the server's address",
		"client=":         "needs the server's address",
		"client=a:b:c":    "no address",
		"client=a:http":   "no port",
		"server=:0":       "no port",
		"server=:65536":   "no port",
		"client=[::1]x:1": "no address",
	} {
		if _, err := ParseSync(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzParseSync(f *testing.F) {
	f.Add("server=[::1]:80")
	f.Add("client=host")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSync(text)
		if err == nil && (s.Address == "" || s.Role != "server" && s.Role != "client") {
			t.Errorf("%q gave %+v", text, s)
		}
	})
}

func TestParseLabels(t *testing.T) {
	got, err := ParseLabels([]string{"cni=flannel", "note=a=b \"c\"\n\\", "id=x"})
	want := map[string]string{"cni": "flannel", "note": "a=b \"c\"\n\\", "id": "x"}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for text, want := range map[string]string{
		"a":                              "has no value",
		"a=":                             "is empty",
		"=b":                             "no name",
		"é=b":                            "no name",
		"1a=b":                           "no name",
		"a-b=c":                          "no name",
		"a b=c":                          "no name",
		"__name__=x":                     "two underscores",
		"role=x":                         "export's own",
		"mode=x":                         "export's own",
		"a=\xff":                         "not UTF-8",
		"a=" + strings.Repeat("x", 1000): "more than 200 bytes",
	} {
		if _, err := ParseLabels([]string{text}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %q", text, err, want)
		}
	}
	if _, err := ParseLabels([]string{"a=1", "a=2"}); err == nil {
		t.Error("a label was accepted twice")
	}
}

func TestNames(t *testing.T) {
	id := MakeID(time.Date(2026, 11, 22, 10, 0, 5, 0, time.UTC), 0xdeadbeef)
	if id != "20261122T100005Z-adbeef" {
		t.Errorf("id %q", id)
	}
	for want, got := range map[string]string{
		"record-a.om":            fileName("a", recording.RoleAlone),
		"record-_.._x_y-cli.om":  fileName("/../x y-cli", recording.RoleAlone),
		"record-a-server.om":     fileName("a", recording.RoleServer),
		"/d/x.om":                numbered("/d/x.om", 0),
		"/d/x-3.om":              numbered("/d/x.om", 2),
		"/d/x-2.zst":             numbered("/d/x.zst", 1),
		"/d/plain-2":             numbered("/d/plain", 1),
		"/d/record-a.b-2.om.zst": numbered("/d/record-a.b.om.zst", 1),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A format gets what its export writes, and is not made to pay for more.
func TestSourcesOfFormats(t *testing.T) {
	for format, want := range map[Format][]string{
		OpenMetrics: {sample.SourceMemory, sample.SourceInterfaces, sample.SourceDisks, sample.SourceProtocols, sample.SourceSoftnet},
		Statexec:    {sample.SourceMemory, sample.SourceInterfaces, sample.SourceDisks},
	} {
		if got := format.Sources(); !slices.Equal(got, want) {
			t.Errorf("%s reads %v, want %v", format, got, want)
		}
	}
}
