package document

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The functions of this file check one value, store it in into when it is
// good, report it otherwise, and say which of the two it was where a caller
// asks.

// Text reads a string.
func (r *Reader) Text(n *yaml.Node, key string, into *string) bool {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
		hint := "write one word"
		if n.Kind == yaml.ScalarNode && !IsNull(n) {
			hint = "put it in quotes"
		}
		r.Report(n, fmt.Sprintf("%s must be a string, not %s", key, Describe(n)), hint)
		return false
	}
	*into = n.Value
	return true
}

// NonEmpty reads a string that says something.
func (r *Reader) NonEmpty(n *yaml.Node, key, hint string, into *string) bool {
	var text string
	if !r.Text(n, key, &text) {
		return false
	}
	if strings.TrimSpace(text) == "" {
		r.Report(n, key+" is empty", hint)
		return false
	}
	*into = text
	return true
}

// LabelSyntax is that of an RFC 1123 label: such names become those of
// directories and of Kubernetes objects.
var LabelSyntax = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

// Label reads a name of the user's choice.
func (r *Reader) Label(n *yaml.Node, key string, into *string) {
	var name string
	if !r.Text(n, key, &name) {
		return
	}
	if !LabelSyntax.MatchString(name) {
		r.Report(n, fmt.Sprintf("%s %s is not a valid name", key, Describe(n)),
			"use lower-case letters, digits and hyphens, at most 63, with a letter or digit at both ends")
		return
	}
	*into = name
}

// Choice reads one of a few words.
func (r *Reader) Choice(n *yaml.Node, key string, valid []string, into *string) bool {
	if n.Kind == yaml.ScalarNode && slices.Contains(valid, n.Value) {
		*into = n.Value
		return true
	}
	list := strings.Join(valid, ", ")
	r.Report(n, fmt.Sprintf("%s must be one of %s, not %s", key, list, Describe(n)),
		DidYouMean(n.Value, valid, "write one of "+list))
	return false
}

// integerSyntax is what YAML 1.1, YAML 1.2 and people read alike: 010 is not.
var integerSyntax = regexp.MustCompile(`^(0|[1-9][0-9]*)$`)

func isInteger(n *yaml.Node) bool {
	// The YAML library calls an integer of more than 64 bits a float.
	tag := n.ShortTag()
	return n.Kind == yaml.ScalarNode && (tag == "!!int" || tag == "!!float") && integerSyntax.MatchString(n.Value)
}

// Integer reads a whole number from low to high. What into holds before, the
// default, is the example that a hint gives; to a number beyond a bound it gives
// the bound.
func (r *Reader) Integer(n *yaml.Node, key string, low, high int, into *int) bool {
	if isInteger(n) {
		if i, err := strconv.Atoi(n.Value); err == nil && i >= low && i <= high {
			*into = i
			return true
		}
	}
	hint := fmt.Sprintf("write a number such as %s: %d", key, max(low, *into))
	if isInteger(n) {
		hint = fmt.Sprintf("write %s: %d or less", key, high)
		if i, err := strconv.Atoi(n.Value); err == nil && i < low {
			hint = fmt.Sprintf("write %s: %d or more", key, low)
		}
	}
	r.Report(n, fmt.Sprintf("%s must be a whole number from %d to %d, not %s", key, low, high, Describe(n)), hint)
	return false
}

// Unsigned reads a whole number of 64 bits.
func (r *Reader) Unsigned(n *yaml.Node, key string, into *uint64) bool {
	if isInteger(n) {
		if u, err := strconv.ParseUint(n.Value, 10, 64); err == nil {
			*into = u
			return true
		}
	}
	r.Report(n, fmt.Sprintf("%s must be a whole number from 0 to 2^64 - 1, not %s", key, Describe(n)), "write any number, such as "+key+": 1")
	return false
}

// Boolean reads true or false.
func (r *Reader) Boolean(n *yaml.Node, key string, into *bool) bool {
	if word := strings.ToLower(n.Value); n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" && (word == "true" || word == "false") {
		*into = word == "true"
		return true
	}
	r.Report(n, fmt.Sprintf("%s must be true or false, not %s", key, Describe(n)), "write "+key+": true or "+key+": false")
	return false
}

// percentSyntax has no sign and no exponent.
var percentSyntax = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) ?%$`)

// Percentage reads a percentage above 0 % and below 100 % as a fraction.
func (r *Reader) Percentage(n *yaml.Node, key string, into *float64) bool {
	if m := percentSyntax.FindStringSubmatch(n.Value); m != nil {
		// Shifting the decimal point before rounding makes 3% the float 0.03.
		if f, err := strconv.ParseFloat(m[1]+"e-2", 64); err == nil && f > 0 && f < 1 {
			*into = f
			return true
		}
	}
	r.Report(n, fmt.Sprintf("%s must be a percentage above 0%% and below 100%%, not %s", key, Describe(n)), "write a number and a percent sign, such as 3%")
	return false
}

// amountSyntax is a decimal number without a sign.
var amountSyntax = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// Amount reads a number above zero in the given unit.
func (r *Reader) Amount(n *yaml.Node, key, unit string, into *float64) bool {
	tag := n.ShortTag()
	if n.Kind == yaml.ScalarNode && (tag == "!!int" || tag == "!!float") && amountSyntax.MatchString(n.Value) {
		if f, err := strconv.ParseFloat(n.Value, 64); err == nil && f > 0 && f <= 1e300 {
			*into = f
			return true
		}
	}
	r.Report(n, fmt.Sprintf("%s must be a number above 0, in %s, not %s", key, unit, Describe(n)), "write the number alone, without a unit")
	return false
}
