package importer

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/stats"
)

func TestCSV(t *testing.T) {
	golden(t, "csv", mustImport(t, "csv", "testdata/numbers.csv", Options{}))
}

// Six blocks of pairs decide what twelve independent values do not.
func TestCSVInterleaved(t *testing.T) {
	var b strings.Builder
	b.WriteString("block;variant;scenario;metric;value;unit\n")
	for i, x := range []string{"10", "12", "14", "16", "18", "20"} {
		n := string(rune('1' + i))
		b.WriteString(n + ";host;bulk;throughput;" + x + ";Gbit/s\n" + n + ";cni;bulk;throughput;" + x + "e-1;Gbit/s\n")
	}
	file := filepath.Join(writeFiles(t, map[string]string{"n.csv": strings.ReplaceAll(b.String(), "e-1;", ";")}), "n.csv")
	for _, interleaved := range []bool{true, false} {
		got := mustImport(t, "csv", file, Options{Interleaved: interleaved})
		k := got.analysis.Cells[0].Metrics[0].Comparisons[0]
		if pairs := len(k.Pairs) == 6; pairs != interleaved || (k.Verdict == stats.Equivalent) != interleaved {
			t.Errorf("interleaved %t: %d pairs, %s", interleaved, len(k.Pairs), k.Verdict)
		}
	}
}

func TestCSVProblems(t *testing.T) {
	const header = "block,variant,scenario,metric,value,unit\n"
	for _, tt := range []struct{ name, content, want string }{
		{"empty", "", "n.csv:1: the table is empty"},
		{"a column too few", "block,variant,scenario,metric,value\n", "n.csv:1: the column unit is missing"},
		{"an unknown column", "block,variant,scenario,metric,value,unit,sdev\n", `n.csv:1: there is no column "sdev"`},
		{"a column twice", "block,block,variant,scenario,metric,value,unit\n", "n.csv:1: the column block is there twice"},
		{"block", header + "0,a,s,throughput,1,bit/s\n", `n.csv:2: block "0" is no number from 1`},
		{"fields", header + "1,a,s,throughput,1\n", "n.csv:2: 5 fields, and the header has 6"},
		{"number", header + "1,a,s,throughput,\"9,41\",bit/s\n", `n.csv:2: value "9,41" is no finite number`},
		{"infinite", header + "1,a,s,throughput,inf,bit/s\n", `n.csv:2: value "inf" is no finite number`},
		{"unit", header + "1,a,s,throughput,1,\n", "n.csv:2: the unit is empty"},
		{"two units", header + "1,a,s,x,1,bit/s\n1,b,s,x,1,s\n", `n.csv:3: the unit of x in s is "s", and on line 2 of n.csv it is "bit/s"`},
		{"direction", header + "1,a,s,x,1,widgets\n", `n.csv:2: whether more x is better is not known: better is ""`},
		{"twice", header + "1,a,s,throughput,1,bit/s\n1,a,s,throughput,2,bit/s\n", "n.csv:3: throughput of a, s in block 1 is already on line 2 of n.csv"},
		{"no name", header + "1,--,s,throughput,1,bit/s\n", `n.csv:2: variant "--" is no name`},
		{"names that fall together", header + "1,a b,s,throughput,1,bit/s\n1,a/b,s,throughput,1,bit/s\n", `n.csv:3: variant "a b" and "a/b" cannot be told apart`},
		{"margin", header + "1,a,s,drops,0,packets\n", `n.csv:2: whether more drops is better`},
		{"no margin", "block,variant,scenario,metric,value,unit,better\n1,a,s,drops,0,packets,lower\n", "n.csv:2: drops in s can be 0 or negative, and has no margin"},
		{"bad margin", "block,variant,scenario,metric,value,unit,margin\n1,a,s,throughput,1,bit/s,-1\n", `n.csv:2: margin "-1" is no number from 0`},
		{"scale", "block,variant,scenario,metric,value,unit,scale\n1,a,s,throughput,1,bit/s,log\n", `n.csv:2: scale is "log"`},
		{"quotes", header + "1,a\"b,s,throughput,1,bit/s\n", `n.csv:2: bare "`},
		{"no rows", header, "n.csv: it holds no results"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := importInto(t, "csv", filepath.Join(writeFiles(t, map[string]string{"n.csv": tt.content}), "n.csv"), Options{})
			if p := problemOf(t, err); !strings.Contains(p.Error(), tt.want) {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
}

// FuzzCSV: every table gives results that can be analysed, or a problem.
func FuzzCSV(f *testing.F) {
	f.Add("block,variant,scenario,metric,value,unit\n1,a,s,throughput,1,Gbit/s\n1,b,s,throughput,0,bit/s\n")
	f.Add("variant;scenario;block;metric;unit;value;better;scale;margin;reason\na;s;2;x;s;-1e300;lower;difference;3%;\na;s;3;x;s;nan;lower;difference;3%;gone\n")
	f.Add("\ufeffblock\tvariant\tscenario\tmetric\tvalue\tunit\n\"1\"\t\"a\nb\"\ts\tloss\t0\t%\n")
	fuzzFile(f, "csv", "f.csv")
}
