package profile

// RankingSchema names the layout of a Ranking written as JSON.
const RankingSchema = "cnibench.io/ranking/v1"

// Ranking is what a campaign says about a need. Scores are in margins: 1 is the
// smallest difference that matters, of everything that counts.
type Ranking struct {
	Schema   string  `json:"schema"`
	Profile  Profile `json:"profile"`
	Campaign string  `json:"campaign"`
	Plan     string  `json:"plan"` // hash
	// Conclusion says it in plain words: the answer, its evidence, its doubt.
	Conclusion []string `json:"conclusion"`
	// Refused says why nothing is ranked; empty: something is.
	Refused string `json:"refused,omitempty"`
	// Leading are the variants that none was shown to be better than, by name.
	// One alone is the winner; several cannot be told apart from the best.
	Leading []string `json:"leading"`
	// Standings has the ranked variants, the best first, then the others in the
	// plan's order.
	Standings []Standing `json:"standings"`
	Weights   []Weight   `json:"weights"` // in the profile's order
	// Covered is the share of the weight that was measured, from 0 to 1.
	Covered float64 `json:"covered"`
	// Blocks are those in which every ranked variant has all that counts; empty
	// where the values of a block are no pairs.
	Blocks []int `json:"blocks"`
	// Needed is the least number of blocks that can tell so many variants
	// apart; 0: there are enough.
	Needed int `json:"needed,omitempty"`
	// Without are the weights without which others would lead: the answer hangs
	// on them.
	Without []Without `json:"without,omitempty"`
	// Resamples is the number of times that blocks were drawn anew, with
	// replacement; 0: there are too few for that.
	Resamples int `json:"resamples"`
	// Alpha is the chance, at most, that a variant which is the best is missing
	// from Leading.
	Alpha float64 `json:"alpha"`
}

// Without says who would lead if one weight did not count.
type Without struct {
	Weight  int      `json:"weight"` // index in the ranking's weights
	Leading []string `json:"leading"`
}

// Weight is what became of one of a profile's measures.
type Weight struct {
	What  string  `json:"what"`
	Share float64 `json:"share"` // of the whole, from 0 to 1
	// Cells are CELL/METRIC that it is made of, sharing it equally.
	Cells  []string `json:"cells"`
	Unit   string   `json:"unit,omitempty"`
	Better string   `json:"better,omitempty"`
	Scale  string   `json:"scale,omitempty"`
	// Margin is what the score is counted in.
	Margin float64 `json:"margin,omitempty"`
	// Missing says why it does not count; empty: it does.
	Missing string `json:"missing,omitempty"`
}

// Standing is what became of one variant.
type Standing struct {
	Variant string `json:"variant"`
	Title   string `json:"title"`
	// Rank counts from 1; 0: not ranked, and Why says why not.
	Rank int    `json:"rank"`
	Why  string `json:"why,omitempty"`
	// Leading says that none was shown to be better.
	Leading bool `json:"leading"`
	// Letters name the groups it belongs to: two variants that share one were
	// not told apart.
	Letters string `json:"letters,omitempty"`
	// Behind is by how many margins the first is better; nil for that one.
	Behind *Gap `json:"behind,omitempty"`
	// Wins is the share of resamples in which it came first; nil without any.
	Wins *float64 `json:"wins,omitempty"`
	// Parts are by how much the first is better, by weight: in the order of the
	// ranking's weights, without those that do not count.
	Parts []Part `json:"parts,omitempty"`
	Needs []Need `json:"needs,omitempty"`
	// Blocks counts those in which it has everything that counts.
	Blocks int `json:"blocks"`
}

// Gap is the Hodges–Lehmann estimate of a difference of scores, in margins,
// with its exact 95 % interval, which is not adjusted for the number of pairs;
// no ends with too few blocks for one.
type Gap struct {
	Estimate float64  `json:"estimate"`
	Low      *float64 `json:"low,omitempty"`
	High     *float64 `json:"high,omitempty"`
}

// Part is what one weight contributes to the distance to the first.
type Part struct {
	Weight int `json:"weight"` // index in the ranking's weights
	// Behind is in margins, as part of the score: weighted.
	Behind float64 `json:"behind"`
	// Change is that of the metric against the first: a fraction on the ratio
	// scale (0.21 is 21 % more), an amount in its unit on the other.
	Change float64 `json:"change"`
}
