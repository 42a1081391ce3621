package report

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf16"
)

// alikeTexts are texts of which each is much like the one before, as commands
// are that differ in an address. As JSON each is a list: how many characters it
// begins with as the one before, how many it ends with, and what is between.
// Characters are those of JavaScript, units of UTF-16.
type alikeTexts []string

// alike is one text by what it does not share with another.
type alike struct {
	begin, end int
	middle     string
}

func newAlike(before, text string) alike {
	a, b := []rune(before), []rune(text)
	most := min(len(a), len(b))
	begin := 0
	for begin < most && a[begin] == b[begin] {
		begin++
	}
	end := 0
	for end < most-begin && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return alike{units(b[:begin]), units(b[len(b)-end:]), string(b[begin : len(b)-end])}
}

// units is the length of a text in JavaScript.
func units(text []rune) int { return len(utf16.Encode(text)) }

// size is about how many bytes it takes as JSON.
func (a alike) size() int {
	return len(strconv.Itoa(a.begin)) + len(strconv.Itoa(a.end)) + len(a.middle) + len(`[,,""],`)
}

// MarshalJSON writes each text by the one before.
func (t alikeTexts) MarshalJSON() ([]byte, error) {
	list, before := [][3]any{}, ""
	for _, text := range t {
		a := newAlike(before, text)
		list = append(list, [3]any{a.begin, a.end, a.middle})
		before = text
	}
	return json.Marshal(list)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *alikeTexts) UnmarshalJSON(data []byte) error {
	var list [][3]json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	*t = nil
	var before []uint16
	for _, one := range list {
		var a alike
		for i, into := range []any{&a.begin, &a.end, &a.middle} {
			if err := json.Unmarshal(one[i], into); err != nil {
				return err
			}
		}
		if a.begin < 0 || a.end < 0 || a.begin+a.end > len(before) {
			return fmt.Errorf("%d and %d characters of a text of %d", a.begin, a.end, len(before))
		}
		text := append([]uint16{}, before[:a.begin]...)
		text = append(text, utf16.Encode([]rune(a.middle))...)
		text = append(text, before[len(before)-a.end:]...)
		*t = append(*t, string(utf16.Decode(text)))
		before = text
	}
	return nil
}
