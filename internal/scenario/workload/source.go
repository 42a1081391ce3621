package workload

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"k8s.io/client-go/util/jsonpath"
)

// Names of the client's output streams, as sources of figures.
const (
	Stdout = "stdout"
	Stderr = "stderr"
)

// Source says where in the client's output something is found. Exactly one of
// JSONPath and Pattern is set.
type Source struct {
	From     string // Stdout, Stderr, or the path of a file in the client's pod
	JSONPath string `json:",omitempty"` // as kubectl takes it: {.latency.p99}
	Pattern  string `json:",omitempty"` // RE2 with one group
}

// Output is what a client left behind: its streams and the files that sources
// name, by what Source.From calls them.
type Output map[string]string

// validate compiles the expression.
func (s Source) validate() error {
	if s.JSONPath != "" {
		_, err := s.path()
		return err
	}
	_, err := s.pattern()
	return err
}

func (s Source) path() (*jsonpath.JSONPath, error) {
	p := jsonpath.New("value")
	if err := p.Parse(s.JSONPath); err != nil {
		return nil, fmt.Errorf("%q is no JSONPath: %w", s.JSONPath, err)
	}
	return p, nil
}

func (s Source) pattern() (*regexp.Regexp, error) {
	p, err := regexp.Compile(s.Pattern)
	if err != nil {
		return nil, fmt.Errorf("%q is no regular expression: %w", s.Pattern, err)
	}
	if p.NumSubexp() != 1 {
		return nil, fmt.Errorf("%q has %d groups, and one must say which part is meant", s.Pattern, p.NumSubexp())
	}
	return p, nil
}

// Text finds the one text that the source means. None and several are errors,
// because either would be a guess.
func (s Source) Text(out Output) (string, error) {
	text, there := out[s.From]
	if !there {
		return "", fmt.Errorf("there is no %s", s.From)
	}
	if s.JSONPath != "" {
		return s.byPath(text)
	}
	return s.byPattern(text)
}

func (s Source) byPattern(text string) (string, error) {
	p, err := s.pattern()
	if err != nil {
		return "", err
	}
	matches := p.FindAllStringSubmatch(text, 2)
	switch len(matches) {
	case 0:
		return "", fmt.Errorf("nothing in %s matches %q", s.From, s.Pattern)
	case 1:
		return matches[0][1], nil
	}
	return "", fmt.Errorf("more than one place in %s matches %q", s.From, s.Pattern)
}

func (s Source) byPath(text string) (string, error) {
	p, err := s.path()
	if err != nil {
		return "", err
	}
	var document any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&document); err != nil {
		return "", fmt.Errorf("%s is not JSON: %w; it begins with %s", s.From, err, beginning(text))
	}
	if decoder.More() {
		return "", fmt.Errorf("%s has more than one JSON value", s.From)
	}
	found, err := p.FindResults(document)
	if err != nil {
		return "", fmt.Errorf("looking for %s in %s: %w", s.JSONPath, s.From, err)
	}
	var values []reflect.Value
	for _, part := range found {
		values = append(values, part...)
	}
	if len(values) != 1 {
		return "", fmt.Errorf("%s finds %d values in %s, not one", s.JSONPath, len(values), s.From)
	}
	return scalarText(values[0])
}

// scalarText writes a JSON string, number or boolean.
func scalarText(v reflect.Value) (string, error) {
	if !v.IsValid() || !v.CanInterface() {
		return "", errors.New("it is null")
	}
	switch value := v.Interface().(type) {
	case string:
		return value, nil
	case json.Number:
		return value.String(), nil
	case bool:
		return strconv.FormatBool(value), nil
	case nil:
		return "", errors.New("it is null")
	}
	return "", errors.New("it is a list or an object")
}

// number finds a finite number.
func (s Source) number(out Output) (float64, error) {
	text, err := s.Text(out)
	if err != nil {
		return 0, err
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return f, nil
}

// instant finds a point in time: Unix seconds with a fraction, or RFC 3339.
func (s Source) instant(out Output) (time.Time, error) {
	text, err := s.Text(out)
	if err != nil {
		return time.Time{}, err
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t.UTC(), nil
	}
	seconds, err := strconv.ParseFloat(text, 64)
	const farFuture = 1 << 33 // the year 2242
	if err != nil || !(seconds > 0 && seconds < farFuture) {
		return time.Time{}, fmt.Errorf("%q is neither Unix seconds nor a time of RFC 3339", text)
	}
	// Microseconds: a float64 of today's seconds has no more.
	return time.UnixMicro(int64(math.Round(seconds * 1e6))).UTC(), nil
}

// beginning quotes the first line of a text for a message.
func beginning(text string) string {
	const longest = 80
	line, _, _ := bytes.Cut([]byte(strings.TrimSpace(text)), []byte("\n"))
	if len(line) > longest {
		line = line[:longest]
	}
	return strconv.Quote(string(line))
}
