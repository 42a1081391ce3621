//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// TestGate runs the page on gates, which measures two small campaigns, and
// gates their results by a shell script and by the workflow for GitHub.
func TestGate(t *testing.T) {
	dir := t.TempDir()
	runPageIn(t, "docs/gate.md", dir)
	now, changed := filepath.Join(dir, "results/ci"), filepath.Join(dir, "results/changed")
	t.Run("script", func(t *testing.T) { gateByScript(t, now, changed) })
	t.Run("workflow", func(t *testing.T) { gateByWorkflow(t, now, changed) })
}

func gateByScript(t *testing.T, now, changed string) {
	script, err := filepath.Abs("testdata/gate.sh")
	if err != nil {
		t.Fatal(err)
	}
	out, err := shell(t, t.TempDir(), nil, "sh", script, now, changed)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := `margin-of-a-thousand 0
floor-within-reach 0
memory-of-the-agent 3
floor-out-of-reach 3
regression-beside-a-pass 3
family-too-large 4
too-few-blocks 4
other-links 5
other-links-allowed 0
itself 0
no-such-metric 2
no-such-directory 1
`
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("exit statuses (-want +got):\n%s", diff)
	}
}

// gateByWorkflow runs the step of the workflow as GitHub would.
func gateByWorkflow(t *testing.T, now, changed string) {
	step := gateStep(t)
	for _, c := range []struct {
		name, results, baseline, flags string
		fails                          bool
		status, says                   string
	}{
		{"passes", now, now, "--margin 100000%", false, "status=0\n", "::notice title=cnibench gate%3A pass::"},
		{"regression", now, "", "--min throughput=1000Tbit/s", true, "status=3\n", "::error title=cnibench gate%3A regression::flannel-vxlan tcp-pod-single/throughput: "},
		{"inconclusive", changed, "", "", false, "status=4\n", "::warning title=cnibench gate%3A inconclusive::"},
		{"unfit", changed, now, "", false, "status=5\n", "::error title=cnibench gate%3A unfit::"},
		{"no baseline yet", now, "nowhere", "", false, "status=none\n", "there is no baseline yet"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.Symlink(c.results, filepath.Join(dir, "results")); err != nil {
				t.Fatal(err)
			}
			output, summary := filepath.Join(dir, "output"), filepath.Join(dir, "summary")
			env := []string{"BASELINE=" + c.baseline, "GATE_FLAGS=" + c.flags, "GITHUB_OUTPUT=" + output, "GITHUB_STEP_SUMMARY=" + summary}
			out, err := shell(t, dir, env, "bash", "-e", "-c", step)
			if (err != nil) != c.fails || !strings.Contains(out, c.says) {
				t.Errorf("the step ends with %v and says\n%s", err, out)
			}
			if got := readIfThere(t, output); got != c.status {
				t.Errorf("its output is %q, want %q", got, c.status)
			}
			if c.status == "status=none\n" {
				return
			}
			if !strings.Contains(readIfThere(t, filepath.Join(dir, "gate.xml")), "<testsuites ") || !strings.Contains(readIfThere(t, summary), "gate of ") {
				t.Error("there is no JUnit file or no summary")
			}
		})
	}
}

// gateStep is the script of the workflow's step that gates.
func gateStep(t *testing.T) string {
	t.Helper()
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct{ ID, Run string }
		}
	}
	if err := yaml.Unmarshal([]byte(readIfThere(t, "../deploy/github/gate.yaml")), &workflow); err != nil {
		t.Fatal(err)
	}
	for _, step := range workflow.Jobs["gate"].Steps {
		if step.ID == "gate" {
			return step.Run
		}
	}
	t.Fatal("the workflow has no step that gates")
	return ""
}

// shell runs a command that finds cnibench in its path and returns what it
// prints.
func shell(t *testing.T, dir string, env []string, argv ...string) (string, error) {
	t.Helper()
	bin := t.TempDir()
	if err := os.Symlink(program, filepath.Join(bin, "cnibench")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), env...), "PATH="+bin+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func readIfThere(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(b)
}
