package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/cnibench/cnibench/internal/claims"
)

// syntheticClaims are made up, and held against the synthetic campaign; more of
// them are confirmed than stand open on the page.
func syntheticClaims(t testing.TB) *claims.Checked {
	t.Helper()
	text := `apiVersion: cnibench.io/v1alpha1
kind: Claims
metadata: {name: made-up}
source: {title: Nobody's talk, date: 2026-05}
setup: {hardware: any}
claims:
  - {id: slower, lines: 12-13, statement: "VXLAN <b>costs</b> nothing", kind: ordering, better: higher, variants: [flannel-vxlan, host], measure: &m {scenario: tcp-pod-single, metric: throughput}}
  - {id: rate, lines: 14, statement: one stream, kind: value, variant: host, value: 31.7, unit: Gbit/s, setup: {hardware: two servers, nicRate: 40Gbit/s}, measure: *m}
  - {id: packets, lines: 15, statement: packets, kind: ratio, variant: flannel-vxlan, base: host, change: -17%, measure: {scenario: udp-zero-loss, metric: ndr}}
  - {id: soon, lines: 16, statement: everybody will be faster, kind: forecast}
`
	for i := range 12 {
		text += fmt.Sprintf("  - {id: change-%d, lines: %d, statement: VXLAN is slower, kind: ratio, variant: flannel-vxlan, base: host, change: -%d%%..-14%%, measure: *m}\n", i, 20+i, 28+i)
	}
	s, err := claims.Parse("made-up.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	a, env, _ := synthetic(t)
	checked, err := claims.Check([]claims.Source{s}, claims.Results{Analysis: a, Environment: env})
	if err != nil {
		t.Fatal(err)
	}
	return &checked
}

func TestPublishedGolden(t *testing.T) {
	a, _, _ := synthetic(t)
	c := syntheticClaims(t)
	wantGolden(t, "published.txt", func(w io.Writer) error { return PublishedText(w, c) })
	wantGolden(t, "published.html", func(w io.Writer) error {
		parsed, err := pageTemplate(a)
		if err != nil {
			return err
		}
		return parsed.ExecuteTemplate(w, "published", page{Published: newPublishedView(c)})
	})
	wantGolden(t, "published.md", func(w io.Writer) error {
		b := &bytes.Buffer{}
		publishedMarkdown(b, c)
		return flush(b, w, "Markdown")
	})
}

// Ten claims are open at most, all of them are somewhere, and nothing of them
// where nobody held any against the results.
func TestPublishedOnThePage(t *testing.T) {
	a, env, series := synthetic(t)
	c := syntheticClaims(t)
	page := render(t, Source{Analysis: a, Environment: env, Series: series, Claims: c})
	page.check(t)
	open, folded := 0, 0
	for _, tr := range page.all("tr") {
		switch {
		case !within(tr, "class", "claims") || tr.Parent.Data != "tbody":
		case within(tr, "", "details"):
			folded++
		default:
			open++
		}
	}
	if open != openClaims || folded != 3 {
		t.Errorf("%d claims are open and %d decided ones folded, want %d and 3", open, folded, openClaims)
	}
	for _, o := range c.Outcomes {
		if !strings.Contains(page.text, o.Name()) {
			t.Errorf("%s is not on the page", o.Name())
		}
	}
	for name, without := range map[string]*claims.Checked{"nobody held any": nil, "there are none": {}} {
		if none := render(t, Source{Analysis: a, Claims: without}); strings.Contains(none.text, `#published`) || strings.Contains(none.text, `id="published"`) {
			t.Errorf("%s, and the page speaks of claims", name)
		}
	}
}

// within tells whether an element is in one with the class, or of the name.
func within(n *html.Node, key, word string) bool {
	for ; n != nil; n = n.Parent {
		if key == "" && n.Data == word || key != "" && attribute(n, key) == word {
			return true
		}
	}
	return false
}
