package doctor

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const page = "../../docs/doctor.md"

func readPage(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// table is the documentation's table of checks.
func table() string {
	var b strings.Builder
	b.WriteString("| check | what must hold | worst | where | why it matters |\n|---|---|---|---|---|\n")
	for _, c := range Checks() {
		var where []string
		for _, k := range c.Kinds {
			where = append(where, string(k))
		}
		title := c.Title
		if c.OnlyDeep {
			title += " (*deep*)"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", c.ID, title, c.Worst, strings.Join(where, ", "), c.Why)
	}
	return b.String()
}

func TestPageListsChecks(t *testing.T) {
	text := readPage(t)
	const begin, end = "<!-- checks -->\n", "<!-- /checks -->"
	before, rest, found := strings.Cut(text, begin)
	got, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no place for the table", page)
	}
	if *update {
		if err := os.WriteFile(page, []byte(before+begin+table()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != table() {
		t.Errorf("the table of %s is not the checks'; run the test with -update", page)
	}
}

// chapter are the rows of the troubleshooting chapter, by words of each.
var chapter = []string{
	"kubectl top nodes", "agents' health", "dmesg", "ethtool -S", "low-usage periods", "nodes without contention", "longer tests", "dedicated cluster",
	"ip addr show", "ping -M do", "less the encapsulation", "jumbo frames",
	"server pod runs", "kubectl get networkpolicies", "nc -vz", "policy that allows", "routes to server pods", "grep DROP",
	"kubectl top pod`", "cilium bpf list", "grep -c cali-", "parallel streams", "CPU limits", "larger maps", "eBPF dataplane",
}

// Every row of the chapter is on the page and leads to checks that exist.
func TestPageCoversTroubleshooting(t *testing.T) {
	_, section, found := strings.Cut(readPage(t), "## The troubleshooting chapter\n")
	if !found {
		t.Fatal("the section is not there")
	}
	var rows []string
	for line := range strings.Lines(section) {
		if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| problem") {
			rows = append(rows, line)
		}
	}
	if len(rows) != len(chapter) {
		t.Errorf("the page has %d rows, the chapter %d", len(rows), len(chapter))
	}
	ids := regexp.MustCompile("`([a-z]+\\.[a-z0-9]+)`")
	for _, words := range chapter {
		i := slices.IndexFunc(rows, func(row string) bool { return strings.Contains(row, words) })
		if i < 0 {
			t.Errorf("no row says %q", words)
			continue
		}
		last := rows[i][strings.LastIndex(strings.TrimRight(rows[i], "| \n"), " | ")+3:]
		named := ids.FindAllStringSubmatch(last, -1)
		if len(named) == 0 {
			t.Errorf("%q leads to no check", words)
		}
		for _, id := range named {
			if !slices.ContainsFunc(Checks(), func(c Check) bool { return c.ID == id[1] }) {
				t.Errorf("%q leads to %s, which is no check", words, id[1])
			}
		}
	}
}

func TestChecksAreWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Checks() {
		if seen[c.ID] || !regexp.MustCompile(`^[a-z]+\.[a-z0-9]+$`).MatchString(c.ID) {
			t.Errorf("the id %q is taken, or not like the others", c.ID)
		}
		seen[c.ID] = true
		if c.Title == "" || c.Why == "" || len(c.Kinds) == 0 || !slices.Contains(Severities, c.Worst) || c.judge == nil {
			t.Errorf("%s is not complete: %+v", c.ID, c)
		}
	}
}
