package serve

import (
	"strings"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// contentsOf is what a journal of the first trials of the small plan holds.
func contentsOf(t *testing.T, p plan.Plan, trials ...result.Trial) contents {
	t.Helper()
	g, err := result.ProgressOf(p, trials)
	if err != nil {
		t.Fatal(err)
	}
	return contents{plan: p, trials: trials, progress: g, pending: g.Pending(p, false)}
}

func TestStatus(t *testing.T) {
	p := small(t)
	ok := func(n int) (list []result.Trial) {
		for i := range n {
			list = append(list, trial(p, i))
		}
		return list
	}
	lost := trial(p, 5)
	lost.Status, lost.Reason, lost.Values = result.Failed, "made up", nil
	adaptive := p
	adaptive.Stop = &plan.Stop{Looks: []int{2, 3}, HalfWidth: 0.05}
	early := contentsOf(t, adaptive, ok(4)...)
	early.stopped, early.pending = 2, nil
	early.progress.Missing = nil
	imported := p
	imported.Imported = &plan.Imported{Format: "csv", Source: "numbers.csv"}
	torn := contentsOf(t, p, ok(1)...)
	torn.torn = true
	own := p
	own.Variants = []plan.Variant{{Name: "host"}, {Name: "mine", Definition: "sha256:00"}}
	key := trial(p, 2).Key()
	late := start.Add(24 * time.Hour)

	for name, c := range map[string]struct {
		contents contents
		sight    sight
		dir      string
		want     []string
		state    state
	}{
		"nothing measured yet":       {contentsOf(t, p), sight{writer: writerAlive}, "r", []string{"Measuring: 0 of 6 trials done", "Next: block 1 of 3, host, tcp-pod-single."}, measuring},
		"half measured":              {contentsOf(t, p, ok(2)...), sight{writer: writerAlive, now: start.Add(90 * time.Second)}, "r", []string{"Measuring: 2 of 6 trials done, about 4 min left"}, measuring},
		"one under way":              {contentsOf(t, p, ok(2)...), sight{writer: writerAlive, now: start, begun: &key}, "r", []string{"Now: block 2 of 3, flannel-vxlan, tcp-pod-single."}, measuring},
		"one that takes its time":    {contentsOf(t, p, ok(2)...), sight{writer: writerAlive, now: late}, "r", []string{"about 3 min left"}, measuring},
		"the last one":               {contentsOf(t, p, ok(5)...), sight{writer: writerAlive, now: late}, "r", []string{"5 of 6 trials done, less than a minute left"}, measuring},
		"adaptive":                   {contentsOf(t, adaptive, ok(2)...), sight{writer: writerAlive, now: start}, "r", []string{"at most about 4 min left"}, measuring},
		"stopped early":              {early, sight{writer: writerGone}, "r", []string{"Complete: 4 trials", "narrow enough after 2 of 3 blocks"}, complete},
		"complete":                   {contentsOf(t, p, ok(6)...), sight{writer: writerGone}, "r", []string{"Complete: 6 trials"}, complete},
		"complete but for one":       {contentsOf(t, p, append(ok(5), lost)...), sight{writer: writerGone}, "r", []string{"Complete: 6 trials", "Without a result: 1 failed.", "cnibench run --resume r --retry-failed"}, complete},
		"interrupted at once":        {contentsOf(t, p), sight{writer: writerGone}, "r", []string{"Interrupted: 0 of 6 trials done", "cnibench run --resume r"}, interrupted},
		"interrupted in a line":      {torn, sight{writer: writerGone}, "r", []string{"last line is incomplete"}, interrupted},
		"a name that shells take":    {contentsOf(t, p), sight{writer: writerGone}, "it's; rm -rf", []string{`--resume 'it'\''s; rm -rf'`}, interrupted},
		"variants of the user's own": {contentsOf(t, own), sight{writer: writerGone}, "r", []string{"--resume r --catalog …"}, interrupted},
		"locks that nobody can see":  {contentsOf(t, p, ok(1)...), sight{}, "r", []string{"1 of 6 trials done", "cannot be told"}, unfinished},
		"imported":                   {contentsOf(t, imported, ok(4)...), sight{writer: writerGone}, "r", []string{"Imported: 4 trials", "The source lacks 2 trials of 6."}, complete},
	} {
		t.Run(name, func(t *testing.T) {
			st := statusOf(c.contents, c.sight, c.dir)
			if st.State != c.state {
				t.Errorf("state %s, want %s", st.State, c.state)
			}
			text := strings.Join([]string{st.Headline, st.Detail, st.Command}, "\n")
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("got\n%s\nwant %q", text, want)
				}
			}
			if st.Done < 0 || st.Done > st.Planned {
				t.Errorf("%d of %d done", st.Done, st.Planned)
			}
			if (st.State == measuring) && st.Command != "" {
				t.Errorf("a run that is measuring cannot be resumed: %s", st.Command)
			}
		})
	}
}

// A block that was taken back is to be measured again.
func TestStatusOfARepeatedBlock(t *testing.T) {
	p := small(t)
	var trials []result.Trial
	for i := range 2 {
		trials = append(trials, trial(p, i))
	}
	for i := range 2 {
		void := trial(p, i)
		void.Attempt, void.Voids, void.Status, void.Reason, void.Values, void.Window = 2, 1, result.Invalid, "block 1: made up", nil, nil
		trials = append(trials, void)
	}
	st := statusOf(contentsOf(t, p, trials...), sight{writer: writerAlive, now: start}, "r")
	if st.Done != 0 || st.Planned != 6 {
		t.Errorf("%d of %d done, want 0 of 6", st.Done, st.Planned)
	}
}

func TestRemaining(t *testing.T) {
	p := small(t)
	first, second := trial(p, 0), trial(p, 1)
	after := func(hours int) result.Trial {
		x := trial(p, 2)
		x.Start, x.End = x.Start.Add(time.Duration(hours)*time.Hour), x.End.Add(time.Duration(hours)*time.Hour)
		return x
	}
	pending := p.Trials()[3:]
	for name, c := range map[string]struct {
		trials     []result.Trial
		next, rest time.Duration
		known      bool
	}{
		"nothing to go by":      {nil, 0, 0, false},
		"no pause known":        {[]result.Trial{first}, 30 * time.Second, time.Minute, true},
		"as before":             {[]result.Trial{first, second, after(0)}, time.Minute, 2 * time.Minute, true},
		"a night in between":    {[]result.Trial{first, second, after(9)}, time.Minute, 2 * time.Minute, true},
		"clocks that went back": {[]result.Trial{first, second, after(-9)}, 30 * time.Second, time.Minute, true},
	} {
		next, rest, known := remaining(c.trials, pending)
		if next != c.next || rest != c.rest || known != c.known {
			t.Errorf("%s: %v, %v, %t, want %v, %v, %t", name, next, rest, known, c.next, c.rest, c.known)
		}
	}
	if next, rest, _ := remaining([]result.Trial{first}, nil); next != 0 || rest != 0 {
		t.Errorf("nothing pending takes %v and %v", next, rest)
	}
}
