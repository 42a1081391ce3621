package openmetrics

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// parseLabels parses {NAME="VALUE",…} at the start of s, if it is there.
func parseLabels(s string) (labels map[string]string, rest string, err error) {
	s, ok := strings.CutPrefix(s, "{")
	if !ok {
		return nil, s, nil
	}
	labels = map[string]string{}
	for {
		name, after, ok := strings.Cut(s, `="`)
		end := closingQuote(after)
		if !ok || end < 0 {
			return nil, "", fmt.Errorf("labels end in %q", s)
		}
		if _, twice := labels[name]; twice {
			return nil, "", fmt.Errorf("label %q comes twice", name)
		}
		if labels[name], err = unescape(after[:end]); err != nil {
			return nil, "", err
		}
		s = after[end+1:]
		if rest, ok = strings.CutPrefix(s, "}"); ok {
			return labels, rest, nil
		}
		if s, ok = strings.CutPrefix(s, ","); !ok {
			return nil, "", fmt.Errorf("labels go on with %q", s)
		}
	}
}

// closingQuote is the index of the first quote in s that is not escaped.
func closingQuote(s string) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

// unescape undoes the escapes of label values and help texts.
func unescape(s string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		if i == len(s) {
			return "", fmt.Errorf("%q ends in a backslash", s)
		}
		switch s[i] {
		case '\\', '"':
			b.WriteByte(s[i])
		case 'n':
			b.WriteByte('\n')
		default:
			return "", fmt.Errorf("%q has an unknown escape", s)
		}
	}
	return b.String(), nil
}

// parsePoint parses " VALUE TIMESTAMP".
func parsePoint(s string) (Point, error) {
	fields := strings.Split(s, " ")
	if len(fields) != 3 || fields[0] != "" {
		return Point{}, fmt.Errorf("%q is not a value and a timestamp", s)
	}
	value, err := strconv.ParseFloat(fields[1], 64)
	if err != nil {
		return Point{}, fmt.Errorf("%q is no value", fields[1])
	}
	seconds, err := strconv.ParseFloat(fields[2], 64)
	if err != nil || !(math.Abs(seconds) < 1e12) {
		return Point{}, fmt.Errorf("%q is no timestamp in seconds", fields[2])
	}
	return Point{At: time.UnixMilli(int64(math.Round(seconds * 1000))).UTC(), Value: value}, nil
}
