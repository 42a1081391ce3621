package chromium

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// axeDirectory has the lock file, as seen from the directory of a package of
// this level.
const axeDirectory = "../../hack/axe"

// Axe installs axe-core as its lock file says, once, outside of the repository,
// and returns its script.
func Axe(t testing.TB) string {
	t.Helper()
	lock, err := os.ReadFile(filepath.Join(axeDirectory, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "cnibench-tests", fmt.Sprintf("axe-%x", sha256.Sum256(lock)))
	file := filepath.Join(dir, "node_modules", "axe-core", "axe.min.js")
	if _, err := os.Stat(file); err != nil {
		if err := os.CopyFS(dir, os.DirFS(axeDirectory)); err != nil && !os.IsExist(err) {
			t.Fatal(err)
		}
		npm := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		npm.Dir = dir
		if output, err := npm.CombinedOutput(); err != nil {
			t.Fatalf("installing axe-core with npm, which is in the Debian package npm: %v\n%s", err, output)
		}
	}
	script, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}

// Violations runs axe-core's script on the page and lists what it finds, with
// up to three elements each.
func (p *Page) Violations(script string) []string {
	p.b.t.Helper()
	p.Evaluate(script+"; 0", nil)
	var found []struct {
		ID, Help string
		Nodes    []struct{ HTML, FailureSummary string }
	}
	p.Evaluate(`axe.run(document, {resultTypes: ["violations"]}).then((r) => r.violations)`, &found)
	var list []string
	for _, v := range found {
		for i, n := range v.Nodes {
			if i < 3 {
				list = append(list, fmt.Sprintf("%s: %s\n%s\n%s", v.ID, v.Help, n.HTML, n.FailureSummary))
			}
		}
	}
	return list
}

// Beyond lists the beginnings of up to five elements that make the page wider
// than its window, or by how much where it is text that runs out of its element.
func (p *Page) Beyond() []string {
	p.b.t.Helper()
	var wide []string
	p.Evaluate(`(() => {
		const all = document.documentElement;
		if (all.scrollWidth <= all.clientWidth) return [];
		const found = [...document.querySelectorAll("body *")].filter((e) => {
			if (e.getBoundingClientRect().right <= all.clientWidth + 1) return false;
			for (let p = e.parentElement; p; p = p.parentElement) if (getComputedStyle(p).overflowX !== "visible") return false;
			return true;
		}).slice(0, 5).map((e) => e.outerHTML.slice(0, 120));
		return found.length ? found : ["text, by " + (all.scrollWidth - all.clientWidth) + " pixels"];
	})()`, &wide)
	return wide
}
