//go:build e2e

package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/docs"
)

// blockTimeout bounds one block of the documentation; the longest measures a
// small campaign.
const blockTimeout = 10 * time.Minute

// TestReadmeOnLab types what the README tells a reader to type.
func TestReadmeOnLab(t *testing.T) { runPage(t, "README.md") }

// TestLabPageOnLab does the same with the page on labs.
func TestLabPageOnLab(t *testing.T) { runPage(t, "docs/lab.md") }

// TestComparePage: variants of a real campaign, and a campaign with itself.
func TestComparePage(t *testing.T) { runPage(t, "docs/compare.md") }

// TestCiliumVariantsPage does the same with the page on variants.
func TestCiliumVariantsPage(t *testing.T) { runPage(t, "docs/variants.md") }

// runPage runs the page's blocks in order: those that need a lab, and those
// between them that do not, because later ones build on them.
func runPage(t *testing.T, page string) { runPageIn(t, page, t.TempDir()) }

// runPageIn leaves in dir what the page's commands make.
func runPageIn(t *testing.T, page, dir string) {
	text, err := os.ReadFile(filepath.Join("..", page))
	if err != nil {
		t.Fatal(err)
	}
	blocks, _ := docs.Parse(string(text))
	leavesNothing(t)
	downAtEnd(t, labsOf(blocks)...)
	bin := t.TempDir()
	if err := os.Symlink(program, filepath.Join(bin, "cnibench")); err != nil {
		t.Fatal(err)
	}
	if err := docs.WriteFiles(dir, blocks); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, b := range blocks {
		if b.NeedsLab() {
			ran++
		}
		if b.NeedsLab() || b.Runs() {
			runBlock(t, page, dir, bin, b)
		}
	}
	if ran == 0 {
		t.Errorf("%s has no block that needs a lab", page)
	}
}

func runBlock(t *testing.T, page, dir, bin string, b docs.Block) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), blockTimeout)
	defer cancel()
	argv := b.Shell()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	// The whole group gets an interrupt, which lets cnibench clean up.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = time.Minute
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s:%d: %v\n%s%s", page, b.Line, err, b.Text, out)
	}
	t.Logf("%s:%d:\n%s%s", page, b.Line, b.Text, out)
}

// labsOf lists the labs that blocks start.
func labsOf(blocks []docs.Block) []string {
	var names []string
	for _, b := range blocks {
		for _, command := range docs.CommandLines(b.Text) {
			words, ok := docs.Invocation(command, "cnibench")
			if ok && b.NeedsLab() && len(words) > 2 && words[0] == "lab" && words[1] == "up" {
				names = append(names, words[2])
			}
		}
	}
	return names
}
