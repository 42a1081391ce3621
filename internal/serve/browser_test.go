//go:build e2e

package serve

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/chromium"
	"github.com/cnibench/cnibench/internal/report"
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
