package junit

import (
	"bytes"
	"encoding/xml"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cnibench/cnibench/internal/prose"
)

func written(t testing.TB, suites ...Suite) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, "cnibench test", suites...); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWrite(t *testing.T) {
	got := written(t, Suite{
		Name: "night: trials", Began: time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC),
		Properties: []Property{{"plan", "sha256:0"}},
		Cases: []Case{
			{Class: Class("night", "flannel-0.28"), Name: "tcp", Took: 1500 * time.Millisecond, Output: []string{"2 of 2 trials ok"}},
			{Class: Class("night", "cilium"), Name: "tcp", Failure: &Said{"no route", "failed", []string{"block 1: no route", "block 2: no route"}}},
		},
		Output: []string{"one", "two"},
	}, Suite{Name: "night: verdicts", Cases: []Case{{Class: "night.cilium", Name: "tcp/throughput", Skipped: &Said{Message: "inconclusive"}}}})
	const want = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="cnibench test" tests="3" failures="1" errors="0" skipped="1">
  <testsuite name="night: trials" tests="2" failures="1" errors="0" skipped="0" time="1.500" timestamp="2026-11-02T08:00:00">
    <properties>
      <property name="plan" value="sha256:0"></property>
    </properties>
    <testcase classname="night.flannel-0_28" name="tcp" time="1.500">
      <system-out>2 of 2 trials ok</system-out>
    </testcase>
    <testcase classname="night.cilium" name="tcp">
      <failure message="no route" type="failed">block 1: no route&#xA;block 2: no route&#xA;</failure>
    </testcase>
    <system-out>one&#xA;two&#xA;</system-out>
  </testsuite>
  <testsuite name="night: verdicts" tests="1" failures="0" errors="0" skipped="1">
    <testcase classname="night.cilium" name="tcp/throughput">
      <skipped message="inconclusive"></skipped>
    </testcase>
  </testsuite>
</testsuites>
`
	if got != want {
		t.Errorf("written:\n%s\nwant:\n%s", got, want)
	}
}

// Whatever names and reasons are, the text is XML, its counts are those of its
// elements, these stand in the order of Jenkins' schema, and no character is
// left that a terminal acts on.
func TestEveryDocumentIsWellFormed(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"]]></testcase>", "\x1b[31m\u202e\x00\xff", "a\nb", strings.Repeat("ä", 200)}))
		said := func(label string) *Said {
			return &Said{text.Draw(rt, label), text.Draw(rt, label+" type"), rapid.SliceOfN(text, 0, 3).Draw(rt, label+" text")}
		}
		s := Suite{Name: text.Draw(rt, "suite"), Properties: []Property{{text.Draw(rt, "property"), text.Draw(rt, "value")}}, Output: []string{text.Draw(rt, "output")}}
		var want counts
		for range rapid.IntRange(0, 4).Draw(rt, "cases") {
			c := Case{Class: Class(text.Draw(rt, "class")), Name: text.Draw(rt, "name"), Output: rapid.SliceOfN(text, 0, 2).Draw(rt, "lines")}
			want.Tests++
			switch rapid.IntRange(0, 3).Draw(rt, "outcome") {
			case 1:
				c.Failure = said("failure")
				want.Failures++
			case 2:
				c.Error = said("error")
				want.Errors++
			case 3:
				c.Skipped = said("skipped")
				want.Skipped++
			}
			s.Cases = append(s.Cases, c)
		}
		got := written(t, s)
		var back document
		if err := xml.Unmarshal([]byte(got), &back); err != nil {
			rt.Fatalf("%v\n%s", err, got)
		}
		if back.counts != want || back.Suites[0].counts != want || len(back.Suites[0].Cases) != want.Tests {
			rt.Fatalf("says %+v and %+v, want %+v", back.counts, back.Suites[0].counts, want)
		}
		if back.Suites[0].Name != prose.Printable(s.Name) {
			rt.Fatalf("the suite is called %q, want %q", back.Suites[0].Name, prose.Printable(s.Name))
		}
		if strings.ContainsAny(got, "\x1b\x00\r\u202e") {
			rt.Fatalf("a terminal acts on %q", got)
		}
		for _, c := range strings.Split(got, "<testcase ")[1:] {
			c, _, _ = strings.Cut(c, "</testcase>")
			var at []int
			for _, element := range []string{"<skipped", "<error", "<failure", "<system-out"} {
				if i := strings.Index(c, element); i >= 0 {
					at = append(at, i)
				}
			}
			if !slices.IsSorted(at) {
				rt.Fatalf("elements out of order in %s", c)
			}
		}
	})
}
