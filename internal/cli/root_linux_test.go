package cli

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Labs need root, and say so before they change anything. As root the program
// is run as the user nobody, from a directory that everybody can enter.
func TestLabsNeedRoot(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "cnibench") // the name makes it the program, see TestMain
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Link(self, program); err != nil { // another file system
		b, err := os.ReadFile(self)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(program, b, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"lab", "up"}, {"lab", "supply"}, {"run", "--out", "left"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			cmd := exec.Command(program, args...)
			cmd.Dir = dir
			cmd.Env = []string{"CNIBENCH_STATE=" + filepath.Join(dir, "state"), "PATH=" + os.Getenv("PATH")}
			if os.Geteuid() == 0 {
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			}
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != exitUnfit {
				t.Errorf("%v, want exit status %d", err, exitUnfit)
			}
			if !strings.HasPrefix(string(out), "cnibench: error: this machine cannot run a lab: labs need root") || !strings.Contains(string(out), "\ncnibench: hint: ") {
				t.Errorf("it says\n%s", out)
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
				t.Errorf("it left %v behind (%v)", entries, err)
			}
		})
	}
}
