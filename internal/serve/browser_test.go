//go:build e2e

package serve

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/chromium"
	"github.com/cnibench/cnibench/internal/report"
	"github.com/cnibench/cnibench/internal/result"
)

// eventually waits until something holds on a page. The bound is far beyond
// what any machine needs.
func eventually(t *testing.T, what string, p *chromium.Page, expression string) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		holds := false
		if p.Evaluate(expression, &holds); holds {
			return
		}
	}
	t.Fatalf("waited in vain for %s", what)
}

// When results come in, a page shows them and stays where its reader was: what
// is folded, filtered and sorted, and what stands at the top of the window.
func TestE2EPageKeepsItsPlace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	c := create(t, dir)
	c.measure(4)
	sources, err := report.ScriptSources()
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, dir, func(o *Options) {
		o.clock, o.rate, o.Scripts = time.Now, rate{least: time.Nanosecond}, sources
	})
	p := chromium.Start(t).Open(s.URL + "/")
	p.Size(1280, 700)
	eventually(t, "the script of the report", p, `document.querySelector("#filter-v") !== null`)
	p.Evaluate(`(() => {
		window.stayed = true;
		window.first = document.querySelector("main");
		document.querySelectorAll("details").forEach((d, i) => { d.open = i % 2 === 0; });
		window.folded = [...document.querySelectorAll("details")].map((d) => d.open).join();
		const filter = document.querySelector("#filter-v");
		filter.value = "flannel";
		filter.dispatchEvent(new Event("input", {bubbles: true}));
		document.querySelector("table.sortable th button").click();
		document.querySelector("#plan").scrollIntoView();
	})()`, nil)
	top := func() (y float64) {
		p.Evaluate(`document.querySelector("#plan").getBoundingClientRect().top`, &y)
		return y
	}
	before := top()

	c.measure(1)
	eventually(t, "the fifth trial", p, `document.querySelector("#live .headline").textContent.includes("5 of 6") && document.querySelector("header, main").textContent.includes("5 of 6 trials ok")`)
	for what, expression := range map[string]string{
		"the link to the answer is first": `document.body.firstElementChild.className === "skip" && document.body.children[1].id === "live"`,
		"the content is another":          `document.querySelector("main") !== window.first`,
		"the page was not loaded anew":    `window.stayed === true`,
		"folds are as they were":          `[...document.querySelectorAll("details")].map((d) => d.open).join() === window.folded`,
		"the filter is as it was":         `document.querySelector("#filter-v").value === "flannel"`,
		"the filter acts":                 `getComputedStyle(document.querySelector('#numbers [data-v="host"]')).display === "none"`,
		"the table is sorted":             `document.querySelector("table.sortable th").ariaSort === "ascending"`,
		"one box for values":              `document.querySelectorAll("aside.values").length === 1`,
		"the title counts":                `document.title.startsWith("5/6 · small")`,
	} {
		holds := false
		if p.Evaluate(expression, &holds); !holds {
			t.Errorf("not so: %s", what)
		}
	}
	if after := top(); after < before-2 || after > before+2 {
		t.Errorf("what stood at %.0f px stands at %.0f px", before, after)
	}
	for _, problem := range p.Problems() {
		if !strings.HasPrefix(problem, "request for "+s.URL+"/") {
			t.Errorf("the browser says: %s", problem)
		}
	}

	// A script that got into the page all the same does not run.
	p.Evaluate(`document.body.append(Object.assign(document.createElement("script"), {textContent: "window.ran = true"}))`, nil)
	ran := false
	if p.Evaluate(`window.ran === true`, &ran); ran {
		t.Error("a script that nobody knows has run")
	}
	// Without the server the page says so, and stays.
	s.CloseClientConnections()
	s.Close()
	eventually(t, "the loss", p, `!document.querySelector("#live .lost").hidden`)
}

// The pages that only serve shows have no fault that axe-core knows, and the
// report has none below its bar; in light and dark, on a desk and a phone.
func TestE2EServedPagesAreForEverybody(t *testing.T) {
	script := chromium.Axe(t)
	parent := t.TempDir()
	running := create(t, filepath.Join(parent, "running"))
	running.measure(2)
	done := create(t, filepath.Join(parent, "done & <b>dusted, "+strings.Repeat("long", 30)))
	done.measure(6)
	done.end()
	interrupted := create(t, filepath.Join(parent, "interrupted"))
	interrupted.measure(3)
	interrupted.end()
	broken := create(t, filepath.Join(parent, "broken"))
	broken.end()
	write(t, filepath.Join(parent, "broken", result.JournalFile), "nonsense\n")
	sources, err := report.ScriptSources()
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, parent, func(o *Options) { o.Scripts = sources })
	none := serve(t, t.TempDir())
	browser := chromium.Start(t)
	for _, at := range []struct{ address, heading string }{
		{s.URL + "/", "Campaigns"}, {none.URL + "/", "Campaigns"},
		{s.URL + "/c/running/", "small"}, {s.URL + "/c/interrupted/", "small"},
		{s.URL + "/c/broken/", "These results cannot be shown"}, {s.URL + "/c/none/", ""},
		{s.URL + "/compare?first=running&second=interrupted", ""},
		{s.URL + "/c/running/raw/", "Evidence"}, {s.URL + "/c/running/raw/1/host/tcp-pod-single/1/", ""},
	} {
		page := browser.Open(at.address)
		var heading string
		if page.Evaluate(`document.querySelector("h1").textContent`, &heading); !strings.Contains(heading, at.heading) {
			t.Errorf("%s shows %q, not %q", at.address, heading, at.heading)
		}
		for _, scheme := range []string{"light", "dark"} {
			page.Scheme(scheme)
			for _, width := range []int{1280, 390} {
				page.Size(width, 900)
				for _, found := range page.Violations(script) {
					t.Errorf("%s, %s, %d px: %s", at.address, scheme, width, found)
				}
				if wide := page.Beyond(); len(wide) > 0 {
					t.Errorf("%s is wider than a screen of %d px: %q", at.address, width, wide)
				}
			}
		}
		for _, problem := range page.Problems() {
			if !strings.HasPrefix(problem, "request for "+s.URL+"/") && !strings.HasPrefix(problem, "request for "+none.URL+"/") &&
				!strings.Contains(problem, "status of 503") && !strings.Contains(problem, "status of 404") {
				t.Errorf("%s: the browser says: %s", at.address, problem)
			}
		}
	}
}
