package openmetrics

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A stream writes the bytes of Write, whichever way the series come.
func TestStreamIsWrite(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		all := families(rt)
		var want, got bytes.Buffer
		if err := Write(&want, all); err != nil {
			rt.Fatal(err)
		}
		s := NewStream(&got)
		for _, f := range all {
			if err := s.Begin(f); err != nil {
				rt.Fatal(err)
			}
			if err := addEither(rt, s, f); err != nil {
				rt.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			rt.Fatal(err)
		}
		if got.String() != want.String() {
			rt.Fatalf("got\n%s\nwant\n%s", got.String(), want.String())
		}
	})
}

func addEither(rt *rapid.T, s *Stream, f Family) error {
	if rapid.Bool().Draw(rt, "rendered before") {
		var lines bytes.Buffer
		if err := WriteSamples(&lines, f); err != nil {
			return err
		}
		return s.AddSamples(&lines)
	}
	for _, series := range f.Series {
		if err := s.Add(series); err != nil {
			return err
		}
	}
	return nil
}

func TestStreamRefuses(t *testing.T) {
	s := NewStream(&bytes.Buffer{})
	if err := s.Begin(Family{Name: "a", Type: Gauge, Help: "h"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Add(Series{}); err == nil || !strings.Contains(err.Error(), "no points") {
		t.Errorf("a series without points: %v", err)
	}
	if err := s.Begin(Family{Name: "a", Type: Gauge, Help: "h"}); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("a family that comes twice: %v", err)
	}
}

func TestStreamLeavesNothingOfAnEmptyFamily(t *testing.T) {
	var out bytes.Buffer
	s := NewStream(&out)
	if err := s.Begin(Family{Name: "a", Type: Gauge, Help: "h"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil || out.String() != "# EOF\n" {
		t.Errorf("%v, %q", err, out.String())
	}
}
