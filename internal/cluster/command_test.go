package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// commands of a cluster whose kubeconfig leads nowhere: what is tested is what
// is run, and when.
func commands(t *testing.T, up, kubeconfig string) (*CommandProvider, string) {
	t.Helper()
	dir := t.TempDir()
	return &CommandProvider{
		Up: up, Down: `echo "down $CNIBENCH_CLUSTER" >>` + dir + "/done", Kubeconfig: kubeconfig, Fresh: true, LogDir: filepath.Join(dir, "logs"),
	}, dir
}

func done(t *testing.T, dir string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "done"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Down is run after every failure: of up itself, and of whatever follows.
func TestCommandDownAfterFailure(t *testing.T) {
	for _, tt := range []struct{ name, up, kubeconfig, want string }{
		{"up fails", "echo no quota >&2; exit 3", "/nowhere", "cluster.command.up: exit status 3: no quota"},
		{"no kubeconfig is printed", "true", "echo broken >&2; false", "cluster.command.kubeconfig: exit status 1: broken"},
		{"the kubeconfig is none", "true", "echo /nowhere/kubeconfig", "reading kubeconfig"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, dir := commands(t, tt.up, tt.kubeconfig)
			_, err := p.Create(t.Context(), Request{Name: "run-1-a", Variant: "a"}, func(string) {})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if got := done(t, dir); got != "down run-1-a\n" {
				t.Errorf("run after the failure: %q", got)
			}
		})
	}
}

func TestCommandsLearnWhatTheyAreFor(t *testing.T) {
	p, _ := commands(t, `echo "up $CNIBENCH_CLUSTER for $CNIBENCH_VARIANT"; exit 1`, "/nowhere")
	_, err := p.Create(t.Context(), Request{Name: "run-1-a", Variant: "a"}, func(string) {})
	var failed *CommandError
	if !errors.As(err, &failed) || failed.Tail != "up run-1-a for a" {
		t.Fatalf("error %v", err)
	}
	b, err := os.ReadFile(failed.Log)
	if err != nil || string(b) != "up run-1-a for a\n" {
		t.Errorf("the log has %q, %v", b, err)
	}
}

func TestCommandInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p, dir := commands(t, "sleep 600 & wait", "/nowhere")
	_, err := p.Create(ctx, Request{Name: "x"}, func(string) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if got := done(t, dir); got != "down x\n" {
		t.Errorf("run after the interrupt: %q", got)
	}
}

// The setting is a file, or a command that prints one or its path.
func TestCommandKubeconfig(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "run-1-a.yaml")
	if err := os.WriteFile(file, []byte("clusters: []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	u := userCommands{&CommandProvider{LogDir: filepath.Join(dir, "logs")}, "run-1-a", "a"}
	for _, tt := range []struct{ name, setting, content string }{
		{"a path", file, "clusters: []\n"},
		{"a path with the cluster's name", dir + "/$CNIBENCH_CLUSTER.yaml", "clusters: []\n"},
		{"a command that prints the path", "echo " + dir + "/$CNIBENCH_CLUSTER.yaml", "clusters: []\n"},
		{"a command that prints the kubeconfig", `printf 'clusters: [secret]\n'`, "clusters: [secret]\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, remove, err := u.kubeconfig(t.Context(), tt.setting)
			if err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(got)
			if err != nil || string(b) != tt.content {
				t.Errorf("%s has %q, %v", got, b, err)
			}
			remove()
			if _, err := os.Stat(got); (got == file) != (err == nil) {
				t.Errorf("afterwards %s: %v", got, err)
			}
		})
	}
	if log, err := os.ReadFile(u.log("kubeconfig")); err != nil || strings.Contains(string(log), "secret") {
		t.Errorf("the log has %q, %v", log, err)
	}
}
