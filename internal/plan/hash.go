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
	document, err := encode(p)
	if err != nil {
		return Plan{}, fmt.Errorf("hashing plan: %w", err)
	}
	hash, err := hashOf(document)
	if err != nil {
		return Plan{}, err
	}
	p.Hash = hash
	return p, nil
}

// Decode reads plan.json and returns an error when it is not the plan that its
// hash was made of. It reads what older versions of this program wrote, too.
func Decode(document []byte) (Plan, error) {
	var p Plan
	if err := json.Unmarshal(document, &p); err != nil {
		return Plan{}, err
	}
	if p.Hash == "" {
		return Plan{}, errors.New("the plan has no hash")
	}
	// Of the document, which may have more fields than this version knows.
	want, err := hashOf(document)
	if err != nil {
		return Plan{}, err
	}
	if p.Hash != want {
		return Plan{}, fmt.Errorf("the plan was changed after it was made: its hash is %s and should be %s", p.Hash, want)
	}
	if p.Schema == version1 {
		return fromVersion1(p, document)
	}
	return p, nil
}

// hashOf is "sha256:" and the digest, in hexadecimal, of the plan without
// its hash as JSON with sorted keys and no white space. Anybody can compute it:
//
//	jq -cSj 'del(.hash)' plan.json | sha256sum
func hashOf(document []byte) (string, error) {
	canonical, err := canonical(document)
	if err != nil {
		return "", fmt.Errorf("hashing plan: %w", err)
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(canonical)), nil
}

func canonical(document []byte) ([]byte, error) {
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
