package profile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/stats"
)

// once says that every variant was installed a single time.
func (r *ranker) once() bool {
	return !r.analysis.Plan.FreshCluster && r.analysis.Plan.Imported == nil
}

// indifference is the margin of a score: it is counted in margins already.
const indifference = 1

// Rank says which variants of a campaign are best for the need. Traits that are
// not there are unknown. It fails when the profile weighs nothing, or when a
// score is too large to be compared.
func Rank(p Profile, a analysis.Analysis, traits []Traits) (Ranking, error) {
	if len(p.Weights) == 0 {
		return Ranking{}, errors.New("the profile weighs nothing")
	}
	r := &ranker{profile: p, analysis: a, traits: traits}
	r.Ranking = Ranking{
		Schema: RankingSchema, Profile: p, Campaign: a.Plan.Name, Plan: a.Plan.Hash, Alpha: analysis.Alpha(a.Plan),
		Leading: []string{}, Standings: []Standing{}, Weights: []Weight{}, Blocks: []int{},
	}
	if err := r.rank(); err != nil {
		return Ranking{}, fmt.Errorf("ranking by %s: %w", p.Name, err)
	}
	r.Conclusion = r.conclude()
	return r.Ranking, nil
}

// ranker makes one ranking.
type ranker struct {
	Ranking
	profile  Profile
	analysis analysis.Analysis
	traits   []Traits
	weighed  []weighed
	scores   []scores // of who takes part, by name
	left     []Standing
	outright bool // the first was shown to be better than each of the others
}

func (r *ranker) rank() error {
	candidates := r.candidates()
	r.weighed = weigh(r.profile, r.analysis, candidates)
	for _, w := range r.weighed {
		r.Weights = append(r.Weights, w.Weight)
	}
	r.Covered = covered(r.weighed)
	r.refuse(candidates)
	for _, name := range candidates {
		r.admit(name)
	}
	r.thin()
	if r.Refused == "" {
		if err := r.compare(); err != nil {
			return err
		}
	}
	r.arrange()
	return nil
}

// candidates are the variants that one could choose, by name: neither the
// baseline nor a twin.
func (r *ranker) candidates() []string {
	var names []string
	for _, v := range r.analysis.Plan.Variants {
		if !r.analysis.Plan.IsTwin(v.Name) && !traitsOf(r.traits, v.Name).Baseline {
			names = append(names, v.Name)
		}
	}
	slices.Sort(names)
	return names
}

// refuse says why nothing can be ranked, if so.
func (r *ranker) refuse(candidates []string) {
	switch {
	case len(candidates) == 0:
		r.Refused = "the campaign has no plugin to choose: only the baseline was measured"
	case r.Covered == 0:
		r.Refused = "nothing of what this profile weighs was measured"
	case r.Covered < r.profile.Least:
		r.Refused = fmt.Sprintf("only %s of what this profile weighs was measured, and it takes %s", percent(r.Covered), percent(r.profile.Least))
	}
}

// admit lets a variant take part, or says why it does not.
func (r *ranker) admit(name string) {
	s := r.standing(name)
	for _, n := range s.Needs {
		// A kernel that nobody wrote down is mostly any kernel; a feature that
		// nobody wrote down is mostly not there.
		if n.Required && (n.State == Unmet || n.State == Unknown && !n.kernel()) {
			s.Why = "the profile requires " + n.Words()
			r.left = append(r.left, s)
			return
		}
	}
	own, why := scoresOf(r.analysis, r.weighed, name)
	s.Blocks = len(own.whole)
	switch {
	case r.Refused != "":
		s.Why = "nothing is ranked"
		r.left = append(r.left, s)
	case why != "":
		s.Why = why
		r.left = append(r.left, s)
	default:
		r.scores = append(r.scores, own)
	}
}

func (r *ranker) standing(name string) Standing {
	s := Standing{Variant: name, Title: name, Needs: r.profile.Needs.check(traitsOf(r.traits, name))}
	for _, v := range r.analysis.Variants {
		if v.Name == name {
			s.Title = v.Title()
		}
	}
	return s
}

// thin takes out variants that would cost the others most of their blocks.
func (r *ranker) thin() {
	if r.analysis.Plan.Unpaired() {
		return
	}
	for {
		i := sparse(r.scores)
		if i < 0 {
			return
		}
		s := r.standing(r.scores[i].variant)
		s.Blocks = len(r.scores[i].whole)
		s.Why = fmt.Sprintf("only %s of %d have everything that this profile weighs", plural(s.Blocks, "block"), len(r.analysis.Blocks()))
		r.left = append(r.left, s)
		r.scores = slices.Delete(r.scores, i, i+1)
	}
}

// takingPart are the scores of those who can be compared; false: nobody can,
// and Refused says why.
func (r *ranker) takingPart() (matrix, bool) {
	if len(r.scores) == 0 {
		r.Refused = "no variant has everything that this profile weighs"
		return matrix{}, false
	}
	m := newMatrix(r.scores, !r.analysis.Plan.Unpaired())
	if m.smallest() > 0 {
		return m, true
	}
	r.Refused = "no block has everything that this profile weighs of all variants"
	for _, s := range r.scores {
		left := r.standing(s.variant)
		left.Why = "it shares no complete block with the others"
		r.left = append(r.left, left)
	}
	return matrix{}, false
}

// compare orders who takes part and finds out who can be told apart.
func (r *ranker) compare() error {
	m, ok := r.takingPart()
	if !ok {
		return nil
	}
	if m.paired {
		r.Blocks = m.blocks[0]
	}
	order, err := m.order()
	if err != nil {
		return err
	}
	worse, err := m.beaten(r.Alpha)
	if err != nil {
		return err
	}
	r.Needed = m.needed(r.Alpha)
	r.outright = !slices.ContainsFunc(order[1:], func(i int) bool { return !worse[i][order[0]] })
	wins, resamples := m.wins()
	r.Resamples = resamples
	letters := lettersOf(worse, order)
	// Rank tests may go round in a circle; then nobody leads.
	circular := !slices.ContainsFunc(worse, func(row []bool) bool { return !slices.Contains(row, true) })
	for rank, i := range order {
		s := r.standing(r.scores[i].variant)
		s.Rank, s.Blocks, s.Letters = rank+1, len(m.rows[i]), letters[rank]
		s.Leading = circular || !slices.Contains(worse[i], true)
		if s.Leading {
			r.Leading = append(r.Leading, s.Variant)
		}
		if resamples > 0 {
			s.Wins = &wins[i]
		}
		if rank > 0 {
			if s.Behind, err = m.behind(order[0], i); err != nil {
				return err
			}
			if s.Parts, err = r.parts(m, order[0], i); err != nil {
				return err
			}
		}
		r.Standings = append(r.Standings, s)
	}
	slices.Sort(r.Leading)
	return r.leaveOut()
}

// leaveOut finds the weights that the answer hangs on: what each is worth is a
// matter of judgement.
func (r *ranker) leaveOut() error {
	for i, w := range r.weighed {
		if w.Missing != "" || r.Covered-w.Share < 1e-9 {
			continue
		}
		var others []scores
		for _, s := range r.scores {
			others = append(others, s.without(r.weighed, i))
		}
		worse, err := newMatrix(others, !r.analysis.Plan.Unpaired()).beaten(r.Alpha)
		if err != nil {
			return fmt.Errorf("without %s: %w", w.What, err)
		}
		var leading []string
		for k, s := range others {
			if !slices.Contains(worse[k], true) {
				leading = append(leading, s.variant)
			}
		}
		if !slices.Equal(leading, r.Leading) && len(leading) > 0 {
			r.Without = append(r.Without, Without{Weight: i, Leading: leading})
		}
	}
	return nil
}

// lettersOf names the groups of members that were not told apart, in order;
// empty where there are too many groups.
func lettersOf(worse [][]bool, order []int) []string {
	differ := make([][]bool, len(order))
	for x, i := range order {
		differ[x] = make([]bool, len(order))
		for y, j := range order {
			differ[x][y] = worse[i][j] || worse[j][i]
		}
	}
	letters := make([]string, len(order))
	groups, err := stats.Groups(differ)
	if err != nil {
		return letters
	}
	for i, own := range stats.Letters(groups, len(order)) {
		letters[i] = strings.Join(own, "")
	}
	return letters
}

// parts splits the distance of a variant to the first by weight. Estimates of
// parts need not add up to that of the whole: each is a median of its own.
func (r *ranker) parts(m matrix, first, other int) ([]Part, error) {
	var list []Part
	for i, w := range r.weighed {
		if w.Missing != "" {
			continue
		}
		d, err := m.shift(pick(r.scores[first].parts[i], m.blocks[first]), pick(r.scores[other].parts[i], m.blocks[other]))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.What, err)
		}
		list = append(list, Part{
			Weight: i, Behind: w.Share / r.Covered * d.Estimate,
			Change: finite(w.metrics[0].change(0 - d.Estimate)),
		})
	}
	return list, nil
}

func pick(values map[int]float64, blocks []int) []float64 {
	list := make([]float64, len(blocks))
	for i, b := range blocks {
		list[i] = values[b]
	}
	return list
}

// arrange puts those that are not ranked behind the others, in the plan's
// order.
func (r *ranker) arrange() {
	place := func(name string) int {
		return slices.IndexFunc(r.analysis.Plan.Variants, func(v plan.Variant) bool { return v.Name == name })
	}
	slices.SortFunc(r.left, func(a, b Standing) int { return cmp.Compare(place(a.Variant), place(b.Variant)) })
	r.Standings = append(r.Standings, r.left...)
}
