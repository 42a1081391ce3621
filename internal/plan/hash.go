package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
)

// Seal returns the plan with its hash, in place of any that it has. It fails
// when a margin is a number that JSON lacks.
func Seal(p Plan) (Plan, error) {
	hash, err := p.computeHash()
	if err != nil {
		return Plan{}, err
	}
	p.Hash = hash
	return p, nil
}

// Verify returns an error when the plan is not the one that its hash was made
// of.
func (p Plan) Verify() error {
	if p.Hash == "" {
		return errors.New("the plan has no hash")
	}
	want, err := p.computeHash()
	if err != nil {
		return err
	}
	if p.Hash != want {
		return fmt.Errorf("the plan was changed after it was made: its hash is %s and should be %s", p.Hash, want)
	}
	return nil
}

// computeHash is "sha256:" and the digest, in hexadecimal, of the plan without
// its hash as JSON with sorted keys and no white space. Anybody can compute it:
//
//	jq -cSj 'del(.hash)' plan.json | sha256sum
func (p Plan) computeHash() (string, error) {
	canonical, err := p.canonical()
	if err != nil {
		return "", fmt.Errorf("hashing plan: %w", err)
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(canonical)), nil
}

func (p Plan) canonical() ([]byte, error) {
	document, err := encode(p)
	if err != nil {
		return nil, err
	}
	// Through a map, because encoding/json sorts the keys of maps only.
	var fields map[string]any
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber() // a seed may be too large for a float
	if err := decoder.Decode(&fields); err != nil {
		return nil, err
	}
	delete(fields, "hash")
	return encode(fields)
}

// encode writes JSON as other programs do, without escapes for HTML.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
