//go:build e2e

package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/chromium"
)

var (
	lookAt   = flag.String("look-at", "", "take pictures of this report, and check it, instead of synthetic ones")
	pictures = flag.String("pictures", "", "keep pictures of the page in this directory")
	openings = flag.Int("openings", 0, "open a large page so many times and measure")
)

// written puts a page into a file and returns its address.
func written(t *testing.T, s Source) string {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, s); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return address(file)
}

func address(file string) string { return (&url.URL{Scheme: "file", Path: file}).String() }

// A page in a real browser asks for nothing, complains of nothing, and has no
// fault that axe-core knows, in light and dark, on a desk and a phone.
func TestE2EPageInABrowser(t *testing.T) {
	script := chromium.Axe(t)
	browser := chromium.Start(t)
	odd := campaignOf(t, 3, 2, nothingOf("flannel-vxlan"))
	odd.Analysis.Plan.Name = `</script><b>"` + strings.Repeat("long", 50)
	sources := everything(t)
	sources["odd"], sources["large"] = odd, largeSource(t, 9, 9)
	pages := map[string]string{}
	for name, source := range sources {
		pages[name] = written(t, source)
	}
	if *lookAt != "" {
		pages = map[string]string{*lookAt: address(*lookAt)}
	}
	for name, where := range pages {
		page := browser.Open(where)
		for _, scheme := range []string{"light", "dark"} {
			page.Scheme(scheme)
			for _, width := range []int{1280, 390} {
				page.Size(width, 900)
				for _, found := range page.Violations(script) {
					t.Errorf("%s, %s, %d px: %s", name, scheme, width, found)
				}
				if wide := page.Beyond(); len(wide) > 0 {
					t.Errorf("%s is wider than a screen of %d px: %q", name, width, wide)
				}
			}
		}
		for _, p := range page.Problems() {
			t.Errorf("%s: %s", name, p)
		}
	}
}

// What is folded opens for a link, tables sort, filters hide, and the values
// of a row come with a key press.
func TestE2EPageAnswersItsReader(t *testing.T) {
	page := chromium.Start(t).Open(written(t, largeSource(t, 9, 9)))
	is := func(what, expression string) {
		t.Helper()
		var yes bool
		if page.Evaluate(expression, &yes); !yes {
			t.Errorf("%s: not so: %s", what, expression)
		}
	}
	is("cells of declared metrics are open", `document.querySelector("#effects-tcp-pod-single").open`)
	is("others are folded", `!document.querySelector("#effects-copy-3").open`)
	is("a link opens its cell", `new Promise((done) => {
		document.querySelector('#matrix a[href="#effects-copy-3"]').click();
		setTimeout(() => done(document.querySelector("#effects-copy-3").open), 200);
	})`)
	is("sorting by a column", `(async () => {
		document.querySelector("#numbers details").open = true;
		await new Promise((done) => setTimeout(done, 200));
		const table = document.querySelector("#numbers table");
		table.querySelectorAll("thead button")[2].click();
		const medians = [...table.tBodies[0].rows].slice(1).map((r) => parseFloat(r.cells[2].textContent));
		return medians.length === 9 && medians.every((m, i) => i === 0 || m >= medians[i - 1]);
	})()`)
	is("filtering variants", `(() => {
		const input = document.querySelector("#filter-v");
		input.value = "vxlan";
		input.dispatchEvent(new Event("input"));
		const shown = [...document.querySelectorAll("#matrix td")].filter((e) => getComputedStyle(e).display !== "none");
		const hidden = document.querySelector('#matrix [data-v="host"]');
		input.value = "";
		input.dispatchEvent(new Event("input"));
		return shown.length > 0 && shown.length < document.querySelectorAll("#matrix td").length && getComputedStyle(hidden).display !== "none";
	})()`)
	page.Evaluate(`document.querySelector("#effects-tcp-pod-single button.name").focus()`, nil)
	is("values of the row that has the focus", `/flannel-host-gw, throughput, tcp-pod-single/.test(document.querySelector("aside.values").textContent)`)
	page.Press("Enter")
	is("values are kept", `document.activeElement.blur() || !document.querySelector("aside.values").hidden`)
	page.Press("Escape")
	is("values go", `document.querySelector("aside.values").hidden`)
	for _, p := range page.Problems() {
		t.Error(p)
	}
}

// TestE2EPictures keeps pictures of a page where asked to, to be looked at.
func TestE2EPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("no -pictures DIR")
	}
	var where string
	if where = address(*lookAt); *lookAt == "" {
		where = written(t, everything(t)["synthetic"])
	}
	page := chromium.Start(t).Open(where)
	keep := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(*pictures, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	whole := func(name string, width int) {
		page.Size(width, 900)
		var height int
		page.Evaluate(`Math.min(document.documentElement.scrollHeight, 12000)`, &height)
		page.Size(width, height)
		keep(name, page.Screenshot())
	}
	page.Scheme("light")
	whole("light.png", 1280)
	whole("phone.png", 390)
	page.Scheme("dark")
	whole("dark.png", 1280)
	page.Scheme("light")
	keep("print.pdf", page.Print())
	var timing json.RawMessage
	page.Evaluate(`(({domInteractive, loadEventEnd}) => ({domInteractive, loadEventEnd}))(performance.getEntriesByType("navigation")[0])`, &timing)
	t.Logf("milliseconds: %s", timing)
}

// TestE2EOpening measures where asked to, and asserts nothing: how long a
// browser takes to open the largest page that is promised to open well.
func TestE2EOpening(t *testing.T) {
	if *openings == 0 {
		t.Skip("no -openings N")
	}
	where := written(t, largeSource(t, 23, 20))
	browser := chromium.Start(t)
	var painted, loaded []float64
	for range *openings {
		var ms struct{ Painted, Loaded float64 }
		browser.Open(where).Evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done({
			Painted: performance.getEntriesByName("first-contentful-paint")[0].startTime,
			Loaded: performance.getEntriesByType("navigation")[0].loadEventEnd,
		}))))`, &ms)
		painted, loaded = append(painted, ms.Painted), append(loaded, ms.Loaded)
	}
	slices.Sort(painted)
	slices.Sort(loaded)
	t.Logf("23 variants, 20 cells, 10 blocks, opened %d times: first painted after %.0f ms (%.0f to %.0f), loaded after %.0f ms (%.0f to %.0f)", *openings,
		painted[len(painted)/2], painted[0], painted[len(painted)-1], loaded[len(loaded)/2], loaded[0], loaded[len(loaded)-1])
}
