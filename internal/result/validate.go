package result

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// pathName is what variants and cells may be called: each is one element of a
// path under raw/.
var pathName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._=,+@-]*$`)

// Validate reports why t may not stand in a journal, or nil. A trial that is
// not ok needs a reason; an ok trial needs at least one value, and every value
// its unit, direction and scale. A value on the ratio scale that is not above
// 0 cannot be compared: whoever measured it must call the trial failed.
func (t Trial) Validate() error {
	if err := checkSchema(t.Schema, SchemaVersion); err != nil {
		return err
	}
	if err := t.validatePlace(); err != nil {
		return err
	}
	if err := t.validateOutcome(); err != nil {
		return err
	}
	seen := make(map[string]bool, len(t.Values))
	for _, v := range t.Values {
		if seen[v.Name] {
			return fmt.Errorf("metric %q is given twice", v.Name)
		}
		seen[v.Name] = true
		if err := v.validate(); err != nil {
			return err
		}
	}
	for name, reason := range t.Missing {
		switch {
		case name == "":
			return errors.New("a missing metric has no name")
		case seen[name]:
			return fmt.Errorf("metric %q is missing and given", name)
		case strings.TrimSpace(reason) == "":
			return fmt.Errorf("metric %q is missing without a reason", name)
		}
	}
	return nil
}

// validatePlace checks what says which planned trial this is an attempt at.
func (t Trial) validatePlace() error {
	switch {
	case t.Block < 1:
		return fmt.Errorf("block %d: blocks count from 1", t.Block)
	case t.Position < 1:
		return fmt.Errorf("position %d: positions count from 1", t.Position)
	case t.Attempt < 1:
		return fmt.Errorf("attempt %d: attempts count from 1", t.Attempt)
	case !pathName.MatchString(t.Variant):
		return fmt.Errorf("variant %q is not a name", t.Variant)
	case !pathName.MatchString(t.Cell):
		return fmt.Errorf("cell %q is not a name", t.Cell)
	case t.Scenario == "":
		return errors.New("scenario is empty")
	}
	return nil
}

// validateOutcome checks status, reason and times against each other.
func (t Trial) validateOutcome() error {
	switch t.Status {
	case OK:
		if t.Reason != "" {
			return fmt.Errorf("status ok with a reason: %q", t.Reason)
		}
		if len(t.Values) == 0 {
			return errors.New("status ok without any value")
		}
	case Failed, Invalid, Unsupported:
		if strings.TrimSpace(t.Reason) == "" {
			return fmt.Errorf("status %s without a reason", t.Status)
		}
	default:
		return fmt.Errorf("unknown status %q", t.Status)
	}
	if t.Voids != 0 && (t.Status != Invalid || t.Voids < 1 || t.Voids >= t.Attempt) {
		return fmt.Errorf("attempt %d with status %s takes back attempt %d: only an invalid attempt takes back one before it", t.Attempt, t.Status, t.Voids)
	}
	for machine, c := range t.Conditions {
		if err := c.validate(); err != nil {
			return fmt.Errorf("conditions of %s: %w", machine, err)
		}
	}
	if t.End.Before(t.Start) {
		return errors.New("the trial ends before it starts")
	}
	if t.Window != nil && t.Window.End.Before(t.Window.Start) {
		return errors.New("the window ends before it starts")
	}
	return nil
}

// validate refuses what JSON cannot write.
func (c Condition) validate() error {
	figures := []float64{c.Steal, c.ClockStep}
	if c.ForeignCPU != nil {
		figures = append(figures, *c.ForeignCPU)
	}
	for _, f := range figures {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("%v is not finite", f)
		}
	}
	return nil
}

func (v Value) validate() error {
	switch {
	case v.Name == "":
		return errors.New("a metric has no name")
	case v.Unit == "":
		return fmt.Errorf("metric %q has no unit", v.Name)
	case v.Better != Higher && v.Better != Lower:
		return fmt.Errorf("metric %q: better is %q, not higher or lower", v.Name, v.Better)
	case v.Scale != Ratio && v.Scale != Difference:
		return fmt.Errorf("metric %q: scale is %q, not ratio or difference", v.Name, v.Scale)
	case !(v.Margin >= 0) || math.IsInf(v.Margin, 0):
		return fmt.Errorf("metric %q: margin %v is not a finite number from 0", v.Name, v.Margin)
	case math.IsNaN(v.Value) || math.IsInf(v.Value, 0):
		return fmt.Errorf("metric %q: value %v is not finite", v.Name, v.Value)
	case v.Scale == Ratio && v.Value <= 0:
		return fmt.Errorf("metric %q: %v on the ratio scale, which needs a value above 0", v.Name, v.Value)
	}
	return nil
}

// checkSchema compares a version such as cnibench.io/result/v1 or …/v1.2 with
// the one that this program writes. A newer minor version is readable, because
// unknown fields are ignored; another major version is not.
func checkSchema(got, want string) error {
	kind, ours, _ := strings.Cut(want, "/v")
	gotKind, version, found := strings.Cut(got, "/v")
	if !found || gotKind != kind {
		return fmt.Errorf("schema %q is not %s/v…", got, kind)
	}
	major, minor, hasMinor := strings.Cut(version, ".")
	n, err := strconv.ParseUint(major, 10, 16)
	if _, minorErr := strconv.ParseUint(minor, 10, 16); err != nil || hasMinor && minorErr != nil {
		return fmt.Errorf("schema %q has no readable version", got)
	}
	switch o, _ := strconv.ParseUint(ours, 10, 16); {
	case n > o:
		return fmt.Errorf("schema %q is newer than this program, which reads %s: use a newer cnibench", got, want)
	case n < o:
		return fmt.Errorf("schema %q is older than %s and cannot be read", got, want)
	}
	return nil
}
