package result

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Warning is something a reader of results should know that is no error. Code
// is stable, for scripts; Hint says what to do about it and may be empty.
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// Journal is the content of a trials.jsonl.
type Journal struct {
	// Trials holds every attempt, in the order in which they were written.
	Trials []Trial
	// Size is the length in bytes of the complete lines. Whatever follows is
	// torn and is cut off before the next append.
	Size int64
	// Warnings names a torn last line.
	Warnings []Warning
}

// ParseJournal reads the bytes of a journal. A line counts only with its
// newline: what follows the last newline was being written when the program
// died, and becomes a warning. Everything else that does not belong there is
// an error of the form "name:line: …": text that is no JSON, a trial that is
// not valid, an attempt that appears twice, a schema of another major version.
func ParseJournal(name string, data []byte) (Journal, error) {
	var j Journal
	seen := map[attemptKey]int{}
	for line := 1; ; line++ {
		rest := data[j.Size:]
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			if len(rest) > 0 {
				j.Warnings = append(j.Warnings, tornLine(name, line, len(rest)))
			}
			return j, nil
		}
		t, err := parseLine(rest[:end])
		if err != nil {
			return Journal{}, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		key := attemptKey{t.Key(), t.Attempt}
		if first, dup := seen[key]; dup {
			return Journal{}, fmt.Errorf("%s:%d: %s is already on line %d", name, line, key, first)
		}
		seen[key] = line
		j.Trials = append(j.Trials, t)
		j.Size += int64(end) + 1
	}
}

// parseLine decodes one line. The schema is looked at first, so that a trial
// of a newer layout is called just that and not malformed.
func parseLine(line []byte) (Trial, error) {
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return Trial{}, fmt.Errorf("not a trial: %w", err)
	}
	if err := checkSchema(head.Schema, SchemaVersion); err != nil {
		return Trial{}, err
	}
	var t Trial
	if err := json.Unmarshal(line, &t); err != nil {
		return Trial{}, fmt.Errorf("not a trial: %w", err)
	}
	if err := t.Validate(); err != nil {
		return Trial{}, fmt.Errorf("not a valid trial: %w", err)
	}
	return t, nil
}

// encodeLine returns t as one line of a journal, with times in UTC.
func encodeLine(t Trial) ([]byte, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	t.Start, t.End = t.Start.UTC(), t.End.UTC()
	if t.Window != nil {
		t.Window = &Window{t.Window.Start.UTC(), t.Window.End.UTC()}
	}
	line, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	return append(line, '\n'), nil
}

func tornLine(name string, line, size int) Warning {
	return Warning{
		Code:    "torn-journal",
		Message: fmt.Sprintf("%s:%d: the last line is incomplete (%d bytes without an end) and was left out", name, line, size),
		Hint:    "the program died while it wrote this trial; run with --resume to measure it again",
	}
}

// attemptKey identifies one line of a journal.
type attemptKey struct {
	Key
	attempt int
}

func (k attemptKey) String() string {
	return fmt.Sprintf("attempt %d at block %d, %s, %s", k.attempt, k.Block, k.Variant, k.Cell)
}
