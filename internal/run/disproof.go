package run

import (
	"errors"

	"github.com/cnibench/cnibench/internal/cni"
)

// disproofs is how many installations of a variant may fail their proof before
// no more are made: its configuration decides the outcome, not the block.
const disproofs = 2

// disproof remembers a variant's failed proofs.
type disproof struct {
	times int
	last  error
}

func isDisproof(err error) bool {
	var failed *cni.ProofError
	return errors.As(err, &failed)
}

// noteDisproof counts an error if it is a failed proof.
func (r *Runner) noteDisproof(variant string, err error) {
	if isDisproof(err) {
		r.disproofs[variant] = disproof{r.disproofs[variant].times + 1, err}
	}
}

// disproven returns why a variant is not installed again, or nil.
func (r *Runner) disproven(variant string) error {
	if d := r.disproofs[variant]; d.times >= disproofs {
		return d.last
	}
	return nil
}
