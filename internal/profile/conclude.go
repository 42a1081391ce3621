package profile

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/prose"
)

// conclude says a ranking in plain words: the answer, its evidence, its doubt.
func (r *ranker) conclude() []string {
	if r.Refused != "" {
		return append([]string{"Not ranked: " + r.Refused + "."}, r.missing()...)
	}
	var lines []string
	ranked := r.ranked()
	first := ranked[0]
	switch {
	case len(ranked) == 1:
		lines = append(lines, fmt.Sprintf("Nothing to choose between: only %s has all that counts.", first.Variant))
	case len(r.Leading) == 1:
		lines = append(lines, r.winner(ranked))
	default:
		lines = append(lines, r.group(ranked))
	}
	if r.Covered < 1-1e-9 {
		lines[0] = fmt.Sprintf("On the %s of the weight that was measured: %s", percent(r.Covered), lines[0])
	}
	lines = append(lines, r.hangs(ranked)...)
	lines = append(lines, r.doubts(ranked)...)
	lines = append(lines, r.missing()...)
	return append(lines, r.unmet(ranked)...)
}

// ranked are the standings with a rank.
func (r *ranker) ranked() []Standing {
	n := slices.IndexFunc(r.Standings, func(s Standing) bool { return s.Rank == 0 })
	if n < 0 {
		return r.Standings
	}
	return r.Standings[:n]
}

// winner says who is better than all others, and how sure that is.
func (r *ranker) winner(ranked []Standing) string {
	name := r.Leading[0]
	text := fmt.Sprintf("%s leads alone: each of the others is shown to be worse, by more than the margin, than it or than another", name)
	switch {
	case len(ranked) == 2:
		text = fmt.Sprintf("%s is better for this need than %s, by more than the margin", name, other(ranked, name))
	case r.outright:
		text = fmt.Sprintf("%s is better for this need than each of the other %d, by more than the margin", name, len(ranked)-1)
	}
	if r.once() {
		text += ", within one installation of each"
	}
	if i := slices.IndexFunc(ranked, func(s Standing) bool { return s.Variant == name }); ranked[i].Wins != nil {
		text += fmt.Sprintf("; it comes first in %s of %d resamples of the blocks", percent(*ranked[i].Wins), r.Resamples)
	}
	text += "."
	if next := ranked[1]; ranked[0].Variant == name && next.Behind != nil {
		text += fmt.Sprintf(" %s follows, %s behind%s.", next.Variant, next.Behind.words(), r.mostly(next))
	}
	return text
}

func other(ranked []Standing, name string) string {
	for _, s := range ranked {
		if s.Variant != name {
			return s.Variant
		}
	}
	return ""
}

// group says who cannot be told apart from the best.
func (r *ranker) group(ranked []Standing) string {
	names, behind := r.Leading, []string{} // by name: their order says nothing
	for _, s := range ranked {
		if !s.Leading {
			behind = append(behind, s.Variant)
		}
	}
	text := fmt.Sprintf("%s cannot be told apart from the best: there is no winner among them", list(names))
	if len(behind) == 0 {
		text = fmt.Sprintf("%s cannot be told apart: there is no winner", list(names))
	}
	if first := ranked[0]; first.Wins != nil && *first.Wins < 0.995 {
		text += fmt.Sprintf(". %s comes first in %s of %d resamples of the blocks, which proves nothing", first.Variant, percent(*first.Wins), r.Resamples)
	}
	text += "."
	if len(behind) > 0 {
		text += fmt.Sprintf(" %s %s worse.", list(behind), map[bool]string{true: "is", false: "are"}[len(behind) == 1])
	}
	if next := ranked[1]; next.Leading && next.Behind != nil {
		text += fmt.Sprintf(" Between %s and %s lie %s", ranked[0].Variant, next.Variant, next.Behind.words())
		if next.Behind.negligible() {
			text += ", which is no difference that matters."
		} else {
			text += r.mostly(next) + "."
		}
	}
	return text
}

// words say a gap, such as "4.2 margins (2.1 to 6.3)".
func (g Gap) words() string {
	text := prose.Fixed(g.Estimate, 1) + " margins"
	if g.Low == nil || g.High == nil {
		return text
	}
	return fmt.Sprintf("%s (%s to %s)", text, prose.Fixed(*g.Low, 1), prose.Fixed(*g.High, 1))
}

// negligible says that all of the interval lies within one margin.
func (g Gap) negligible() bool {
	return g.Low != nil && g.High != nil && *g.Low > -indifference && *g.High < indifference
}

// mostly names the weight by which a variant is behind the most.
func (r *ranker) mostly(s Standing) string {
	best := -1
	for i, p := range s.Parts {
		if p.Behind >= 0.05 && (best < 0 || p.Behind > s.Parts[best].Behind) {
			best = i
		}
	}
	if best < 0 || len(s.Parts) < 2 {
		return ""
	}
	p := s.Parts[best]
	return fmt.Sprintf(", most by %s (%s)", r.Weights[p.Weight].What, prose.Fixed(p.Behind, 1))
}

// hangs says on which weights the answer hangs.
func (r *ranker) hangs(ranked []Standing) []string {
	if len(ranked) < 2 || len(r.counted()) < 2 {
		return nil
	}
	if len(r.Without) == 0 {
		return []string{fmt.Sprintf("%s %s whichever one weight is left out.", list(r.Leading), map[bool]string{true: "leads", false: "lead"}[len(r.Leading) == 1])}
	}
	var parts []string
	for _, w := range r.Without {
		parts = append(parts, fmt.Sprintf("without %s, %s would lead", r.Weights[w.Weight].What, list(w.Leading)))
	}
	return []string{"It hangs on the weights: " + strings.Join(parts, "; ") + "."}
}

// counted are the weights that count, by index.
func (r Ranking) counted() []int {
	var list []int
	for i, w := range r.Weights {
		if w.Missing == "" {
			list = append(list, i)
		}
	}
	return list
}

// ceilings name rates that the line between the nodes limited for several of
// those that are ranked: it says nothing of them.
func (r *ranker) ceilings() []string {
	var lines []string
	for _, w := range r.weighed {
		for _, l := range w.metrics {
			var full []string
			for _, k := range l.metric.Comparisons {
				for _, name := range []string{k.A, k.B} {
					ranks := slices.ContainsFunc(r.scores, func(s scores) bool { return s.variant == name })
					if k.Ceiling && ranks && !slices.Contains(full, name) {
						full = append(full, name)
					}
				}
			}
			if slices.Sort(full); len(full) > 1 {
				lines = append(lines, fmt.Sprintf("%s of %s: %s filled the line between the nodes, which hides how they differ.", l.metric.Name, l.cell.ID, list(full)))
			}
		}
	}
	return lines
}

// doubts say what the ranking rests on too little of.
func (r *ranker) doubts(ranked []Standing) []string {
	var lines []string
	if r.Needed > 0 {
		lines = append(lines, fmt.Sprintf("%s are too few to tell %d variants apart, however much they differ: it takes %d.",
			plural(ranked[0].Blocks, r.noun()), len(ranked), r.Needed))
	}
	if left := len(r.analysis.Blocks()) - len(r.Blocks); left > 0 && len(r.Blocks) > 0 {
		lines = append(lines, fmt.Sprintf("%s of %d left out: some variant that is ranked lacks something in each.", plural(left, "block"), len(r.analysis.Blocks())))
	}
	lines = append(lines, r.ceilings()...)
	if r.once() && len(ranked) > 1 {
		lines = append(lines, "Every variant was installed once. What differs from one installation to the next, as memory does, is in no interval: two installations of the same may be told apart. freshCluster: true in the campaign measures it.")
	}
	if r.analysis.Plan.Unpaired() {
		lines = append(lines, "The source did not measure in blocks: variants are compared as independent samples, and what changed around them between the runs is in the figures.")
	}
	for _, s := range ranked {
		for _, n := range s.Needs {
			if n.Required && n.State == Unknown {
				lines = append(lines, fmt.Sprintf("Look at %s yourself before you choose it. %s.", s.Variant, capital(n.Words())))
			}
		}
	}
	for _, s := range r.Standings {
		if s.Rank == 0 {
			lines = append(lines, fmt.Sprintf("Not ranked: %s: %s.", s.Variant, s.Why))
		}
	}
	return lines
}

func (r *ranker) noun() string {
	if r.analysis.Plan.Unpaired() {
		return "run"
	}
	return "block"
}

// missing says what of the profile was not measured.
func (r *ranker) missing() []string {
	var parts []string
	for _, w := range r.Weights {
		if w.Missing != "" {
			parts = append(parts, fmt.Sprintf("%s, %s of the weight (%s)", w.What, percent(w.Share), w.Missing))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	lines := []string{fmt.Sprintf("Not counted: %s.", strings.Join(parts, "; "))}
	if r.profile.Measurable() > r.Covered+1e-9 && len(r.profile.Campaign) > 0 {
		lines = append(lines, fmt.Sprintf("`cnibench run --profile %s` measures what this profile weighs.", r.profile.argument()))
	}
	return lines
}

// unmet says what those that lead lack of what is wanted.
func (r *ranker) unmet(ranked []Standing) []string {
	var lines []string
	for _, s := range ranked {
		var lacks, unknown []string
		for _, n := range s.Needs {
			switch {
			case !s.Leading || n.Required:
			case n.State == Unmet:
				lacks = append(lacks, n.Name)
			case n.State == Unknown:
				unknown = append(unknown, n.Name)
			}
		}
		if len(lacks) > 0 {
			lines = append(lines, fmt.Sprintf("%s lacks what is wanted besides: %s.", s.Variant, list(lacks)))
		}
		if len(unknown) > 0 {
			lines = append(lines, fmt.Sprintf("Unknown of %s: %s.", s.Variant, list(unknown)))
		}
	}
	return lines
}

func plural(n int, noun string) string { return prose.Plural(n, noun) }

// percent writes a share, never 0 % or 100 % of what is only nearly so.
func percent(share float64) string {
	switch x := 100 * share; {
	case x > 0 && x < 0.5:
		return "under 1 %"
	case x < 100 && x >= 99.5:
		return prose.Fixed(math.Floor(10*x)/10, 1) + " %"
	default:
		return prose.Fixed(x, 0) + " %"
	}
}

// list joins names as people do.
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
