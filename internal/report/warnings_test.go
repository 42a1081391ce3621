package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/result"
)

func TestGroupWarnings(t *testing.T) {
	got := groupWarnings([]result.Warning{
		{Code: "spread", Message: "a: 6 %", Hint: "more blocks"},
		{Code: "shared-kernel", Message: "one kernel", Hint: "compare datapaths"},
		{Code: "spread", Message: "b: 7 %", Hint: "more blocks"},
		{Code: "drift", Message: "falls", Hint: "look at a"},
		{Code: "drift", Message: "rises", Hint: "look at b"},
		{Code: "bare", Message: "no hint"},
	})
	want := []warningGroup{
		{Code: "spread", Hint: "more blocks", Messages: []warningMessage{{Text: "a: 6 %"}, {Text: "b: 7 %"}}},
		{Code: "shared-kernel", Hint: "compare datapaths", Messages: []warningMessage{{Text: "one kernel"}}},
		{Code: "drift", Messages: []warningMessage{{"falls", "look at a"}, {"rises", "look at b"}}},
		{Code: "bare", Messages: []warningMessage{{Text: "no hint"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
