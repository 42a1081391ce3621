package gobuild

import (
	"strings"
	"testing"
)

func TestParseLine(t *testing.T) {
	tests := []struct {
		line string
		want event
	}{
		{"go: downloading k8s.io/kubernetes v1.34.4", event{downloading, "k8s.io/kubernetes v1.34.4"}},
		{"k8s.io/kubernetes/pkg/kubelet", event{compiling, "k8s.io/kubernetes/pkg/kubelet"}},
		{"internal/goarch", event{compiling, "internal/goarch"}},
		{"go.etcd.io/etcd/server/v3/etcdmain", event{compiling, "go.etcd.io/etcd/server/v3/etcdmain"}},
		{"gopkg.in/yaml.v3", event{compiling, "gopkg.in/yaml.v3"}},
		{"fmt", event{compiling, "fmt"}},
		{"# k8s.io/kubernetes/pkg/kubelet", event{message, "# k8s.io/kubernetes/pkg/kubelet"}},
		{"./main.go:3:1: syntax error", event{message, "./main.go:3:1: syntax error"}},
		{"go: module x: reading: 404 Not Found", event{message, "go: module x: reading: 404 Not Found"}},
		{"", event{message, ""}},
	}
	for _, test := range tests {
		if got := parseLine(test.line); got != test.want {
			t.Errorf("%q: got %v, want %v", test.line, got, test.want)
		}
	}
}

func FuzzParseLine(f *testing.F) {
	f.Add("go: downloading k8s.io/kubernetes v1.34.4")
	f.Add("# command-line-arguments")
	f.Fuzz(func(t *testing.T, line string) {
		e := parseLine(line)
		if !strings.HasSuffix(line, e.name) {
			t.Errorf("%q gave the name %q", line, e.name)
		}
		if e.kind == compiling && strings.ContainsAny(line, " \t:#") {
			t.Errorf("%q was taken for a package", line)
		}
	})
}
