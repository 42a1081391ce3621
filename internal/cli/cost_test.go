package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/net/html"
)

// The report's decision matrix at somebody's prices has the sums that
// `cnibench cost` prints, digit by digit, with their intervals.
func TestDecisionMatrixCostsWhatCostSays(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "script", "cost.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, f := range archive.Files {
		if err := os.WriteFile(path(f.Name), f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	command := func(args ...string) string {
		t.Helper()
		var out, wrong bytes.Buffer
		if status := Main(args, strings.NewReader(""), &out, &wrong); status != exitOK {
			t.Fatalf("%v: status %d\n%s", args, status, &wrong)
		}
		return out.String()
	}
	command("import", "csv", path("measured.csv"), "--interleaved", "--base", "host", "--out", path("dir"))
	prices := []string{"--prices", path("mine.yaml"), "--nodes", "900", "--shape", "large"}
	costs := command(append([]string{"cost", path("dir")}, prices...)...)
	command(append([]string{"report", path("dir"), "--html", path("page.html")}, prices...)...)
	page, err := os.ReadFile(path("page.html"))
	if err != nil {
		t.Fatal(err)
	}
	sums := matrixCosts(t, page)
	if len(sums) != 3 {
		t.Fatalf("costs of three variants are %v", sums)
	}
	for variant, sum := range sums {
		found := false
		for line := range strings.Lines(costs) {
			fields := strings.Fields(line)
			if len(fields) == 0 || fields[0] != variant || !strings.Contains(line, " to ") && variant != "host" {
				continue
			}
			found = found || strings.Contains(line, " "+sum[0]+" ") && strings.Contains(line, sum[1])
		}
		if !found || !strings.Contains(sum[0], ",") {
			t.Errorf("%s costs %q, which `cnibench cost` does not say:\n%s", variant, sum, costs)
		}
	}
}

// matrixCosts reads, by variant, the amount and its interval ("low to high",
// empty without one) from the decision matrix of a page.
func matrixCosts(t *testing.T, page []byte) map[string][]string {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string][]string{}
	for n := range root.Descendants() {
		if n.Data != "tr" || n.FirstChild == nil || !strings.HasPrefix(textOf(n.FirstChild), "cost") || !inSection(n, "decision") {
			continue
		}
		for td := n.FirstChild.NextSibling; td != nil; td = td.NextSibling {
			value, interval, _ := strings.Cut(textOf(td), " EUR a month")
			interval = strings.ReplaceAll(strings.TrimSpace(interval), " – ", " to ")
			if interval == "no interval" {
				interval = ""
			}
			for _, a := range td.Attr {
				if a.Key == "data-v" {
					sums[a.Val] = []string{value, interval}
				}
			}
		}
	}
	return sums
}

func textOf(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.WriteString(textOf(c))
	}
	return b.String()
}

func inSection(n *html.Node, id string) bool {
	for ; n != nil; n = n.Parent {
		for _, a := range n.Attr {
			if a.Key == "id" && a.Val == id {
				return true
			}
		}
	}
	return false
}
