package result

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var epoch = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// throughputTrial is an ok trial as a throughput scenario writes it.
func throughputTrial(block int, variant string, attempt int) Trial {
	start := epoch.Add(time.Duration(block) * time.Minute)
	k := Key{block, variant, "tcp-pod-multi.streams=8"}
	return Trial{
		Schema: SchemaVersion, Block: block, Position: 1, Variant: variant, Cell: k.Cell,
		Scenario: "tcp-pod-multi", Attempt: attempt, Status: OK,
		Start: start, End: start.Add(13 * time.Second),
		Window: &Window{start.Add(2 * time.Second), start.Add(12 * time.Second)},
		Values: []Value{
			{Metric: Metric{Name: "throughput", Unit: "bit/s", Better: Higher, Scale: Ratio, Margin: 0.03}, Value: 12.5e9},
			{Metric: Metric{Name: "retransmits", Unit: "segments", Better: Lower, Scale: Difference}, Value: 0},
			{Metric: Metric{Name: "cpu", Unit: "cores", Better: Lower, Scale: Ratio, Margin: 0.05}, Value: 1.7, Partial: "softirq"},
		},
		Missing: map[string]string{"energy": "the machine has no RAPL"},
		Marks:   []Mark{{"cpu-saturated", "97 % of the machine was busy"}},
		Facts:   map[string]string{"congestionControl": "cubic"},
		Raw:     RawPath(k, attempt),
	}
}

func failedTrial(block int, variant string) Trial {
	t := throughputTrial(block, variant, 1)
	t.Status, t.Reason = Failed, "server pod was not ready after 120s"
	t.Window, t.Values, t.Missing, t.Marks = nil, nil, nil, nil
	return t
}

func encode(t testing.TB, trials ...Trial) []byte {
	t.Helper()
	var b []byte
	for _, trial := range trials {
		line, err := encodeLine(trial)
		if err != nil {
			t.Fatal(err)
		}
		b = append(b, line...)
	}
	return b
}

func TestParseJournalReturnsWhatWasWritten(t *testing.T) {
	want := []Trial{throughputTrial(1, "host", 1), failedTrial(1, "flannel-vxlan"), throughputTrial(1, "flannel-vxlan", 2)}
	j, err := ParseJournal("trials.jsonl", encode(t, want...))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, j.Trials); diff != "" {
		t.Errorf("trials (-written +read):\n%s", diff)
	}
	if len(j.Warnings) != 0 {
		t.Errorf("warnings: %v", j.Warnings)
	}
}

// A crash leaves some prefix of the file. Whatever its length, it reads back
// as a prefix of the trials, and says so when a line was lost.
func TestEveryPrefixReadsBackAPrefix(t *testing.T) {
	all := []Trial{throughputTrial(1, "host", 1), failedTrial(1, "flannel-vxlan"), throughputTrial(2, "host", 1)}
	data := encode(t, all...)
	for n := range len(data) + 1 {
		j, err := ParseJournal("trials.jsonl", data[:n])
		if err != nil {
			t.Fatalf("prefix of %d bytes: %v", n, err)
		}
		complete := bytes.Count(data[:n], []byte{'\n'})
		if diff := cmp.Diff(all[:complete], append([]Trial{}, j.Trials...)); diff != "" {
			t.Fatalf("prefix of %d bytes (-want +got):\n%s", n, diff)
		}
		torn := n > 0 && data[n-1] != '\n'
		if torn != (len(j.Warnings) == 1) {
			t.Fatalf("prefix of %d bytes: torn is %v, warnings are %v", n, torn, j.Warnings)
		}
	}
}

func TestParseJournalRefuses(t *testing.T) {
	good := string(encode(t, throughputTrial(1, "host", 1)))
	tests := []struct {
		name, second, want string
	}{
		{"text that is no JSON", "oops\n", "trials.jsonl:2: not a trial: "},
		{"an empty line", "\n", "trials.jsonl:2: not a trial: "},
		{"a duplicate", good, "trials.jsonl:2: attempt 1 at block 1, host, tcp-pod-multi.streams=8 is already on line 1"},
		{"a newer major version", strings.Replace(good, "result/v1", "result/v2", 1), "trials.jsonl:2: schema \"cnibench.io/result/v2\" is newer than this program"},
		{"another kind of file", strings.Replace(good, "result/v1", "plan/v1", 1), "trials.jsonl:2: schema \"cnibench.io/plan/v1\" is not cnibench.io/result/v…"},
		{"an unknown status", strings.Replace(good, `"ok"`, `"skipped"`, 1), "trials.jsonl:2: not a valid trial: unknown status \"skipped\""},
		{"a failure without a reason", strings.Replace(good, `"ok"`, `"failed"`, 1), "trials.jsonl:2: not a valid trial: status failed without a reason"},
		{"a ratio of 0", strings.Replace(good, `12500000000`, `0`, 1), "trials.jsonl:2: not a valid trial: metric \"throughput\": 0 on the ratio scale"},
		{"a name that leaves its directory", strings.Replace(good, `"host"`, `"../host"`, 1), "trials.jsonl:2: not a valid trial: variant \"../host\" is not a name"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := ParseJournal("trials.jsonl", []byte(good+test.second))
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v, want %s…", err, test.want)
			}
		})
	}
}

func TestParseJournalReadsANewerMinorVersion(t *testing.T) {
	line := strings.Replace(string(encode(t, throughputTrial(1, "host", 1))), `result/v1"`, `result/v1.3","colour":"new"`, 1)
	j, err := ParseJournal("trials.jsonl", []byte(line))
	if err != nil {
		t.Fatal(err)
	}
	if len(j.Trials) != 1 || j.Trials[0].Variant != "host" {
		t.Errorf("got %+v", j.Trials)
	}
}

func FuzzParseJournal(f *testing.F) {
	f.Add(encode(f, throughputTrial(1, "host", 1), failedTrial(1, "flannel-vxlan")))
	f.Add([]byte("{\"schema\":\"cnibench.io/result/v1\"}\n"))
	f.Add([]byte("{\"schema\":\"cnibench.io/result/v9\"}\n\x00\x00"))
	f.Add([]byte("\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		j, err := ParseJournal("trials.jsonl", data)
		if err != nil {
			return
		}
		if j.Size > int64(len(data)) || j.Size > 0 && data[j.Size-1] != '\n' {
			t.Fatalf("size %d of %d bytes is not the end of a line", j.Size, len(data))
		}
		again, err := ParseJournal("trials.jsonl", encode(t, j.Trials...))
		if err != nil {
			t.Fatalf("what was read cannot be written and read again: %v", err)
		}
		// Compared as text: a time keeps its zone in memory and not on disk.
		if a, b := string(encode(t, j.Trials...)), string(encode(t, again.Trials...)); a != b {
			t.Fatal("writing and reading changed a trial")
		}
	})
}
