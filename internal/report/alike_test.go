package report

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// What is written of texts by the ones before gives the same texts, whatever
// they are.
func TestAlikeTexts(t *testing.T) {
	list := alikeTexts{"iperf3 -c 10.244.0.7 -t 10", "iperf3 -c 10.244.0.9 -t 10", "iperf3 -c 10.244.0.9 -t 10", "", "aa", "a", "aaa", "🚀x", "🚁x", "x🚁"}
	data, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	if want := `[[0,0,"iperf3 -c 10.244.0.7 -t 10"],[19,6,"9"],[26,0,""],[0,0,""],[0,0,"aa"],[1,0,""],[1,0,"aa"],[0,0,"🚀x"],[0,1,"🚁"],[0,0,"x🚁"]]`; string(data) != want {
		t.Errorf("got  %s\nwant %s", data, want)
	}
	for _, wrong := range []string{`[[1,0,"a"]]`, `[[0,0,"a"],[1,1,"b"]]`, `[[-1,0,"a"]]`, `[["a"]]`, `[[0,0]]`, `{}`} {
		if json.Unmarshal([]byte(wrong), new(alikeTexts)) == nil {
			t.Errorf("%s is read", wrong)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		list := alikeTexts(rapid.SliceOf(rapid.StringOf(rapid.SampledFrom([]rune("ab 1🚀é\u2028<")))).Draw(t, "texts"))
		data, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		var back alikeTexts
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(list, back) {
			t.Errorf("%q became %q by %s", list, back, data)
		}
	})
}
