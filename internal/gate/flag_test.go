package gate

import (
	"math"
	"testing"

	"github.com/cnibench/cnibench/internal/prose"
)

func TestParseMargin(t *testing.T) {
	for text, want := range map[string]Margin{
		"3%":                                    {"", Quantity{3, "%"}, ""},
		"2.5 %":                                 {"", Quantity{2.5, "%"}, ""},
		"throughput=0%":                         {"throughput", Quantity{0, "%"}, ""},
		"memory=10MiB":                          {"memory", Quantity{10, "MiB"}, ""},
		"tcp-pod-multi.streams=8/throughput=5%": {"tcp-pod-multi.streams=8/throughput", Quantity{5, "%"}, ""},
		"cpu-per-gbit-net=1e1mCPU/(Gbit/s)":     {"cpu-per-gbit-net", Quantity{10, "mCPU/(Gbit/s)"}, ""},
		"streams=2":                             {"streams", Quantity{2, ""}, ""},
		"http.connections=16/http-p99=1.5e+2 µs": {"http.connections=16/http-p99", Quantity{150, "µs"}, ""},
	} {
		want.Text = text
		if got, err := ParseMargin(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "3", "10MiB", "-3%", "=3%", "throughput=", "throughput=-1%", "throughput", "NaN%", "Inf%", "0x3%", "3%%\n", "1e999%", "three%", "3 % more", "٣%"} {
		if got, err := ParseMargin(text); err == nil {
			t.Errorf("%q is taken for %+v", text, got)
		}
	}
}

func TestParseLimit(t *testing.T) {
	got, err := ParseLimit(Min, "a.streams=4/throughput=9Gbit/s")
	if want := (Limit{"a.streams=4/throughput", Min, Quantity{9, "Gbit/s"}, "a.streams=4/throughput=9Gbit/s"}); err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	if got, err := ParseLimit(Max, "memory=-5MiB"); err != nil || got.Value != -5 {
		t.Errorf("%+v, %v: a limit may be below 0", got, err)
	}
	for _, text := range []string{"", "9Gbit/s", "=9Gbit/s", "throughput=", "throughput=Gbit/s", "throughput=nan", "throughput=9\x86", "throughput=9 G bit/s", "throughput=1e400bit/s"} {
		if got, err := ParseLimit(Min, text); err == nil {
			t.Errorf("%q is taken for %+v", text, got)
		}
	}
}

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		q    Quantity
		unit string
		want float64
		err  string
	}{
		{Quantity{9, "Gbit/s"}, "bit/s", 9e9, ""},
		{Quantity{500, "us"}, "s", 500e-6, ""},
		{Quantity{500, "µs"}, "s", 500e-6, ""},
		{Quantity{1.5, "MiB"}, "bytes", 1.5 * (1 << 20), ""},
		{Quantity{0.1, "%"}, "percent", 0.1, ""},
		{Quantity{250, "mCPU"}, "cores", 0.25, ""},
		{Quantity{7, "widgets"}, "widgets", 7, ""},
		{Quantity{7, ""}, "", 7, ""},
		{Quantity{7, "s"}, "", 0, `the metric has no unit, and "s" is one`},
		{Quantity{7, ""}, "1/s", 0, "the number has no unit; the metric's are 1/s"},
		{Quantity{7, "GB/s"}, "bit/s", 0, `the unit "GB/s" is none of the metric's, which are Gbit/s, Mbit/s, kbit/s, bit/s, Tbit/s`},
	} {
		got, err := c.q.in(c.unit)
		said := ""
		if err != nil {
			said = err.Error()
		}
		if math.Abs(got-c.want) > 1e-12*c.want || said != c.err {
			t.Errorf("%+v in %q: %v, %q, want %v, %q", c.q, c.unit, got, said, c.want, c.err)
		}
	}
}

// A number that is read is finite, and what it is said to mean can be read
// again.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"3%", "throughput=9Gbit/s", "a=b/c=1e3 ms", "=", "x=-0.5MiB", "x=1e308", "p99=1\x00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if m, err := ParseMargin(text); err == nil {
			if !(m.Value >= 0) || math.IsInf(m.Value, 0) || m.Metric == "" && m.Unit != "%" {
				t.Errorf("%q is the margin %+v", text, m)
			}
		}
		l, err := ParseLimit(Max, text)
		if err != nil {
			return
		}
		if l.Metric == "" || math.IsNaN(l.Value) || math.IsInf(l.Value, 0) || prose.Printable(l.Unit) != l.Unit {
			t.Errorf("%q is the limit %+v", text, l)
		}
		if again, err := ParseLimit(Max, l.Metric+"="+text[len(l.Metric)+1:]); err != nil || again != l {
			t.Errorf("%q is %+v and then %+v, %v", text, l, again, err)
		}
	})
}
