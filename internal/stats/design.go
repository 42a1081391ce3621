package stats

import (
	"errors"
	"fmt"
	"math"
)

// Design is a comparison that is planned: paired, of Pairs blocks, or unpaired,
// of NA against NB values.
type Design struct {
	Pairs  int
	NA, NB int // when Pairs is 0
	// Margin is the smallest shift of interest, on the scale of differences.
	Margin float64
	// SD is the standard deviation of the paired differences, or of the values
	// of each side when unpaired, on the same scale. Noise is taken to be
	// normal.
	SD float64
	// Family is the number of comparisons that are decided together; 0 is 1.
	// Alpha is the level that the family shares, and every comparison has to
	// meet Alpha/Family, on the safe side of Holm; 0 is VerdictAlpha.
	Family int
	Alpha  float64
}

// size is the number of pairs, or of values of the smaller side.
func (d Design) size() int {
	if d.Pairs > 0 {
		return d.Pairs
	}
	return min(d.NA, d.NB)
}

// level is what one comparison has to meet.
func (d Design) level() float64 {
	alpha := d.Alpha
	if alpha == 0 {
		alpha = VerdictAlpha
	}
	return alpha / float64(max(1, d.Family))
}

func (d Design) check() error {
	switch {
	case d.Pairs < 0 || d.NA < 0 || d.NB < 0 || max(d.Pairs, d.NA, d.NB) > MaxPairs:
		return fmt.Errorf("a design has 1 to %d values on a side", MaxPairs)
	case d.Pairs > 0 && d.NA+d.NB > 0, d.Pairs == 0 && min(d.NA, d.NB) == 0:
		return errors.New("a design is either paired or has values on both sides")
	case d.Family < 0:
		return fmt.Errorf("a family of %d comparisons cannot be decided", d.Family)
	case math.IsNaN(d.SD) || d.SD <= 0 || d.SD > maxMagnitude/1000:
		return fmt.Errorf("standard deviation %v is not a usable number above 0", d.SD)
	}
	if d.Alpha != 0 {
		if err := checkAlpha(d.Alpha); err != nil {
			return err
		}
	}
	return checkMargin(d.Margin)
}

// critical is the largest sum of the negative ranks, or of pairs in the wrong
// order, whose p-value is at most alpha; −1 when there is none. Without ties it
// depends on the sizes only.
func (d Design) critical(alpha float64) int {
	if d.Pairs > 0 {
		ranks := make([]int, d.Pairs) // twice the ranks, as everywhere
		for i := range ranks {
			ranks[i] = 2 * (i + 1)
		}
		return largest(d.Pairs*(d.Pairs+1)/2, func(sum int) bool {
			p, _ := signSumTail(ranks, 2*sum)
			return p <= alpha
		})
	}
	ranks := make([]int, d.NA+d.NB)
	for i := range ranks {
		ranks[i] = 2 * (i + 1)
	}
	return largest(d.NA*d.NB, func(wrong int) bool {
		p, _ := subsetSumTail(ranks, d.NA, 2*wrong+d.NA*(d.NA+1))
		return p <= alpha
	})
}

// largest returns the last whole number from 0 up to most for which ok holds;
// −1 when it does not hold for 0.
func largest(most int, ok func(int) bool) int {
	low, high := -1, most+1
	for high-low > 1 {
		middle := (low + high) / 2
		if ok(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

func (d Design) tooSmall(alpha float64) string {
	if d.Pairs > 0 {
		return fmt.Sprintf("%d blocks cannot decide a family of %d: it takes %d", d.Pairs, max(1, d.Family), minBlocks(alpha))
	}
	n := 1
	for UnpairedSmallestP(n, n) > alpha {
		n++
	}
	return fmt.Sprintf("%d and %d values cannot decide a family of %d: it takes %d and %d", d.NA, d.NB, max(1, d.Family), n, n)
}
