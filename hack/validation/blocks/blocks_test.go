package blocks

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

const small = `campaign,block,start,order,a,b
aa-01,1,2026-11-22T13:41:30.250Z,b a,1000,1100
aa-01,2,2026-11-22T13:41:33.250Z,a b,1000,
aa-02,1,2026-11-22T13:44:30.250Z,a b,2000,1000
`

func TestTableSurvivesWriting(t *testing.T) {
	table, err := Read(strings.NewReader(small))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := table.Write(&b); err != nil {
		t.Fatal(err)
	}
	if b.String() != small {
		t.Errorf("wrote\n%s\nfor\n%s", b.String(), small)
	}
	if table.Rows[1].Whole() || !table.Rows[0].Whole() {
		t.Error("the second block of aa-01 alone lacks a value")
	}
}

func TestReadRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"no file":       "",
		"another table": "campaign,block\n",
		"one arm":       "campaign,block,start,order,a\n",
		"no block":      "campaign,block,start,order,a,b\nx,0,2026-11-22T13:41:30Z,a b,1,1\n",
		"no time":       "campaign,block,start,order,a,b\nx,1,today,a b,1,1\n",
		"zero":          "campaign,block,start,order,a,b\nx,1,2026-11-22T13:41:30Z,a b,0,1\n",
		"infinite":      "campaign,block,start,order,a,b\nx,1,2026-11-22T13:41:30Z,a b,1,Inf\n",
		"a column less": "campaign,block,start,order,a,b\nx,1,2026-11-22T13:41:30Z,a b,1\n",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestComparisonsAreDisjointAndOfOneCampaign(t *testing.T) {
	table := Table{Arms: []string{"a", "b"}}
	for _, campaign := range []string{"aa-01", "aa-02"} {
		for block := 1; block <= 14; block++ {
			v := []float64{1, math.Exp(float64(block))}
			if block == 3 {
				v[0] = math.NaN()
			}
			table.Rows = append(table.Rows, Row{Campaign: campaign, Block: block, Values: v})
		}
	}
	var got []int
	for _, c := range table.Comparisons(0, 1, 6) {
		for _, d := range c {
			got = append(got, int(math.Round(d)))
		}
	}
	once := []int{1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}
	if want := slices.Concat(once, once); !slices.Equal(got, want) {
		t.Errorf("blocks %v, want %v", got, want)
	}
}

func TestReplaceKeepsWhatIsMore(t *testing.T) {
	table := Table{Arms: []string{"a", "b"}, Rows: []Row{{Campaign: "aa-01", Block: 1}, {Campaign: "aa-01", Block: 2}, {Campaign: "aa-03", Block: 1}}}
	table.Replace("aa-01", []Row{{Campaign: "aa-01", Block: 1}})
	if n := len(table.Of("aa-01")); n != 2 {
		t.Errorf("a directory begun anew left %d of 2 rows", n)
	}
	table.Replace("aa-02", []Row{{Campaign: "aa-02", Block: 1}})
	if got := table.Campaigns(); !slices.Equal(got, []string{"aa-01", "aa-02", "aa-03"}) {
		t.Errorf("campaigns %v", got)
	}
}

func TestCollectTakesWholeBlocksAndLastAttempts(t *testing.T) {
	at := time.Date(2026, 11, 22, 13, 41, 30, 0, time.UTC)
	trial := func(block, position, attempt int, variant string, status result.Status, v float64) result.Trial {
		x := result.Trial{Block: block, Position: position, Attempt: attempt, Variant: variant, Cell: "c", Status: status, Start: at.Add(time.Duration(position) * time.Second)}
		if status == result.OK {
			x.Values = []result.Value{{Metric: result.Metric{Name: Metric}, Value: v}}
		}
		return x
	}
	p := plan.Plan{
		Variants: []plan.Variant{{Name: "a"}, {Name: "b"}}, Cells: []plan.Cell{{ID: "c"}},
		Blocks: []plan.Block{{Index: 1, Order: []string{"b", "a"}}, {Index: 2, Order: []string{"a", "b"}}, {Index: 3, Order: []string{"b", "a"}}},
	}
	rows := Collect("aa-01", p, []result.Trial{
		trial(1, 1, 1, "b", result.Invalid, 0), trial(1, 1, 2, "b", result.OK, 5), trial(1, 2, 1, "a", result.OK, 4),
		trial(2, 1, 1, "a", result.Failed, 0), trial(2, 2, 1, "b", result.OK, 6),
		trial(3, 1, 1, "b", result.OK, 7), // a is still to come
	}, []string{"a", "b"})
	if len(rows) != 2 {
		t.Fatalf("%d rows, want the two whole blocks", len(rows))
	}
	if got := rows[0].Values; !slices.Equal(got, []float64{4, 5}) {
		t.Errorf("block 1 has %v, want the attempts that decide", got)
	}
	if got := rows[1].Values; !math.IsNaN(got[0]) || got[1] != 6 {
		t.Errorf("block 2 has %v, want no value for what failed", got)
	}
	if !rows[0].Start.Equal(at.Add(time.Second)) {
		t.Errorf("block 1 started at %v", rows[0].Start)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(small)
	f.Fuzz(func(t *testing.T, text string) {
		table, err := Read(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, r := range table.Rows {
			if len(r.Values) != len(table.Arms) {
				t.Fatalf("%d values for %d arms", len(r.Values), len(table.Arms))
			}
		}
	})
}
