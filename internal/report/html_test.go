package report

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/result"
)

// The page fetches nothing: no address, and no script, style or picture from
// elsewhere.
func TestHTMLIsSelfContained(t *testing.T) {
	var b bytes.Buffer
	a, env, series := synthetic(t)
	if err := HTML(&b, Source{Analysis: a, Environment: env, Series: series}); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{`https?:`, `<script[^>]*src`, `fetch\(`, `XMLHttpRequest`, `WebSocket`, `import[ (]`, `<link`, `<img`, `<iframe`, `@import`, `url\(`, `src=`, `href="[^#]`} {
		if found := regexp.MustCompile(pattern).FindString(b.String()); found != "" {
			t.Errorf("the page contains %q", found)
		}
	}
}

// Every anchor and every grid that is pointed at exists once.
func TestHTMLReferencesResolve(t *testing.T) {
	var b bytes.Buffer
	a, env, series := synthetic(t)
	if err := HTML(&b, Source{Analysis: a, Environment: env, Series: series}); err != nil {
		t.Fatal(err)
	}
	for _, ref := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(b.String(), -1) {
		if n := strings.Count(b.String(), fmt.Sprintf(`id="%s"`, ref[1])); n != 1 {
			t.Errorf("%s is defined %d times", ref[1], n)
		}
	}
}

// Nothing depends on the order in which maps or the caller hand things over.
func TestHTMLIsDeterministic(t *testing.T) {
	a, env, series := synthetic(t)
	var first bytes.Buffer
	if err := HTML(&first, Source{Analysis: a, Environment: env, Series: series}); err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(5) {
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(series), func(i, j int) { series[i], series[j] = series[j], series[i] })
		var again bytes.Buffer
		if err := HTML(&again, Source{Analysis: a, Environment: env, Series: series}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), again.Bytes()) {
			t.Fatal("the same input gave another page")
		}
	}
}

// largeSource is a campaign of so many variants and cells in 10 blocks, with
// series at 10 Hz.
func largeSource(t testing.TB, variants, cells int) Source {
	t.Helper()
	var list []syntheticVariant
	for i := range variants {
		v := syntheticVariants[i%4]
		if i >= 4 {
			v.name = fmt.Sprintf("%s-%d", v.name, i)
		}
		list = append(list, v)
	}
	p, trials := syntheticCampaign(list, 10)
	// The same trials once more in the other cells.
	for i := range cells - len(p.Cells) {
		c := p.Cells[0]
		c.ID = fmt.Sprintf("copy-%d", i)
		p.Cells = append(p.Cells, c)
		for j := range p.Blocks {
			p.Blocks[j].Cells = append(p.Blocks[j].Cells, c.ID)
		}
		for _, trial := range trials {
			if trial.Cell == p.Cells[0].ID {
				trial.Cell = c.ID
				trials = append(trials, trial)
			}
		}
	}
	env := syntheticEnvironment(p)
	a, err := analysis.Analyze(p, trials, env)
	if err != nil {
		t.Fatal(err)
	}
	return Source{Analysis: a, Environment: env, Series: syntheticSeries(trials, 10), Commands: syntheticCommands(trials)}
}

// syntheticCommands are all different, as addresses of pods make them.
func syntheticCommands(trials []result.Trial) map[string]string {
	commands := map[string]string{}
	for i, trial := range trials {
		commands[trial.Raw] = fmt.Sprintf("iperf3 -c 10.244.%d.%d -p 5201 -J -P 1 -t 10 -O 2 -i 0.1 -l 131072", i/250, i%250)
	}
	return commands
}

// largeSwept is a campaign over message sizes, whose figures over a parameter
// are most of its page.
func largeSwept(t testing.TB, variants, sizes int) Source {
	t.Helper()
	var list []string
	for i := range sizes {
		list = append(list, fmt.Sprint(64<<i))
	}
	p, trials := sweptCampaign(variants, 10, list)
	env := syntheticEnvironment(p)
	a, err := analysis.Analyze(p, trials, env)
	if err != nil {
		t.Fatal(err)
	}
	for i := range trials { // a series needs these
		trials[i].Values = append(trials[i].Values, result.Value{Metric: result.Metric{Name: "cpu", Unit: "cores"}, Value: 1.7})
	}
	return Source{Analysis: a, Environment: env, Series: syntheticSeries(trials, 10), Commands: syntheticCommands(trials)}
}

// The page of 23 variants, 20 cells and 10 blocks stays below 5 MiB.
func TestHTMLStaysSmall(t *testing.T) {
	var b bytes.Buffer
	if err := HTML(&b, largeSource(t, 23, 20)); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", b.Len())
	if b.Len() > 5<<20 {
		t.Errorf("%d bytes for 20 cells, 23 variants and 10 blocks", b.Len())
	}
}

// Nor does one of 35 cells, most of them of sweeps, which have more figures; its
// parts are named where it is too large.
func TestSweptHTMLStaysSmall(t *testing.T) {
	var b bytes.Buffer
	if err := HTML(&b, largeSwept(t, 23, 17)); err != nil {
		t.Fatal(err)
	}
	parts := partSizes(b.String())
	t.Logf("%d bytes: %s", b.Len(), parts)
	if b.Len() > 5<<20 {
		t.Errorf("%d bytes for 35 cells, 23 variants and 10 blocks: %s", b.Len(), parts)
	}
}

// partSizes are the bytes of a page's sections, the largest first, and of its
// values.
func partSizes(page string) string {
	type part struct {
		name  string
		bytes int
	}
	var parts []part
	for _, piece := range strings.Split(page, "<section id=\"")[1:] {
		name, _, _ := strings.Cut(piece, `"`)
		body, rest, _ := strings.Cut(piece, "</section>")
		parts = append(parts, part{name, len(body)})
		if _, values, ok := strings.Cut(rest, `id="values">`); ok {
			parts = append(parts, part{"values", strings.Index(values, "</script>")})
		}
	}
	slices.SortStableFunc(parts, func(a, b part) int { return b.bytes - a.bytes })
	var words []string
	for _, p := range parts {
		words = append(words, fmt.Sprintf("%s %d", p.name, p.bytes))
	}
	return strings.Join(words, ", ")
}
