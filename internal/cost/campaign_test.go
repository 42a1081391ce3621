package cost

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

func find(t testing.TB, c Costs, name string) Variant {
	t.Helper()
	for _, v := range c.Variants {
		if v.Name == name {
			return v
		}
	}
	t.Fatalf("there is no %s", name)
	return Variant{}
}

func saving(t testing.TB, c Costs, name string) Saving {
	t.Helper()
	for _, s := range c.Savings {
		if s.Variant == name {
			return s
		}
	}
	t.Fatalf("there is no saving of %s", name)
	return Saving{}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// Costs are evaluated in each block and then estimated: by hand for one
// variant.
func TestCostsOfBlocks(t *testing.T) {
	m := normal(8, "tcp-rr")
	c := m.costs(t, Default(), Options{})
	var want []float64
	for b := 1; b <= 8; b++ {
		get := func(variant string, x result.Metric) float64 {
			v, _ := m.value("tcp-rr", variant, x, b)
			return v
		}
		cpu := (get("rich", busy) - get("host", busy)) / 2 * 30 * 500
		memory := (get("rich", working) - get("host", working)) / (1 << 30) / 2 * 10 * 500
		penalty := max(0, get("rich", p99)*1e3-0.2) * 100
		want = append(want, 500*400*1.1+cpu+memory+penalty)
	}
	rich := find(t, c, "rich")
	for i, b := range rich.Blocks {
		if !near(b.Total, want[i]) {
			t.Errorf("block %d costs %v, want %v", b.Block, b.Total, want[i])
		}
	}
	shift, err := stats.PairedShift(want, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if got := rich.Total; !near(got.Value, shift.Estimate) || !near(got.Interval.Low, shift.Interval.Low) || !near(got.Interval.High, shift.Interval.High) || got.N != 8 {
		t.Errorf("got %+v %+v, want %+v", got, got.Interval, shift)
	}
	if host := find(t, c, "host"); !host.Baseline || termOf(t, host, CPUTerm).Amount.Value != 0 || termOf(t, host, MemoryTerm).Amount.Value != 0 {
		t.Errorf("the baseline has an overhead: %+v", host.Terms)
	}
}

func TestSavings(t *testing.T) {
	c := normal(10, "tcp-rr", "tcp-pod-single").costs(t, Default(), Options{})
	if c.Against != "lean" || len(c.Savings) != 2 {
		t.Fatalf("savings of %d against %s", len(c.Savings), c.Against)
	}
	if s := saving(t, c, "rich"); s.Verdict != CostsMore || s.Estimate.Value >= 0 || *s.P > stats.VerdictAlpha {
		t.Errorf("rich against lean: %+v", s)
	}
	// alike differs by noise alone, which is less than the margin.
	if s := saving(t, c, "alike"); s.Verdict != Equivalent || s.Estimate == nil || s.Reason == "" {
		t.Errorf("alike against lean: %+v", s)
	}
	c = normal(10, "tcp-rr").costs(t, Default(), Options{Against: "rich"})
	if s := saving(t, c, "lean"); s.Verdict != Saves || s.Estimate.Interval.Low <= 0 {
		t.Errorf("lean against rich: %+v", s)
	}
	// Few blocks show nothing, however large the difference is.
	c = normal(5, "tcp-rr").costs(t, Default(), Options{})
	if s := saving(t, c, "rich"); s.Verdict != NotShown || !strings.Contains(s.Reason, "5 blocks cannot show any saving among 2 comparisons: at least 7 can") {
		t.Errorf("five blocks: %+v", s)
	}
	if v := find(t, c, "rich"); v.Total.Interval != nil {
		t.Errorf("five blocks have an interval: %+v", v.Total.Interval)
	}
}

func TestOneBlock(t *testing.T) {
	c := normal(1, "tcp-rr").costs(t, Default(), Options{})
	if v := find(t, c, "rich"); v.Total.N != 1 || v.Total.Interval != nil {
		t.Errorf("got %+v", v.Total)
	}
	if s := saving(t, c, "rich"); s.Verdict != NotShown {
		t.Errorf("got %+v", s)
	}
}

// What was not measured is no term of a sum, and sums of different terms are
// not compared.
func TestMissingTerms(t *testing.T) {
	for _, tt := range []struct {
		name    string
		m       made
		variant string
		without string
		reason  string
		verdict SavingVerdict
	}{
		{"everything failed", normal(8, "tcp-rr").without("rich", 1, "tcp-rr"), "rich", "CPU, memory and penalty", "no trial of it in tcp-rr is ok (8 failed)", NotCompared},
		{"no memory", normal(8, "tcp-rr").without("rich", 1, "memory"), "rich", "memory", "no trial of it in tcp-rr has memory", NotCompared},
		{"no latency at all", normal(8, "tcp-pod-single"), "rich", "penalty", "no cell has latency-p99", CostsMore},
		{"baseline without CPU", normal(8, "tcp-rr").without("host", 1, "cpu"), "rich", "CPU", "no cell has CPU", CostsMore},
		{"one block lost", normal(8, "tcp-rr").without("rich", 8, "memory"), "rich", "", "", CostsMore},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := tt.m.costs(t, Default(), Options{})
			v := find(t, c, tt.variant)
			if got := list(v.Without); got != tt.without {
				t.Fatalf("without %q, want %q", got, tt.without)
			}
			for _, term := range v.Terms {
				if term.Missing != "" && (term.Amount != nil || !strings.Contains(term.Missing, tt.reason)) {
					t.Errorf("%s is %+v, want %q", term.Name, term, tt.reason)
				}
			}
			if s := saving(t, c, tt.variant); s.Verdict != tt.verdict {
				t.Errorf("the saving is %+v, want %s", s, tt.verdict)
			}
		})
	}
	c := normal(8, "tcp-rr").without("rich", 8, "memory").costs(t, Default(), Options{})
	if v := find(t, c, "rich"); v.Total.N != 7 || saving(t, c, "rich").Estimate.N != 7 {
		t.Errorf("a block without memory counts: %d", v.Total.N)
	}
}

func TestBlocksThatHaveNothingInCommon(t *testing.T) {
	m := normal(8, "tcp-rr")
	value := m.value
	m.value = func(cell, v string, x result.Metric, block int) (float64, bool) {
		if v == "rich" && (x.Name == "memory") == (block%2 == 0) {
			return 0, false
		}
		return value(cell, v, x, block)
	}
	c := m.costs(t, Default(), Options{})
	v := find(t, c, "rich")
	if v.Total != nil || v.Missing != "no block has all of CPU, memory, penalty" {
		t.Errorf("got %+v, %q", v.Total, v.Missing)
	}
	if s := saving(t, c, "rich"); s.Verdict != NotCompared {
		t.Errorf("got %+v", s)
	}
}

func TestNoBaseline(t *testing.T) {
	m := normal(8, "tcp-rr")
	m.variants = []string{"lean", "rich"}
	c := m.costs(t, Default(), Options{})
	v := find(t, c, "rich")
	if c.Baseline != "" || list(v.Without) != "CPU and memory" {
		t.Errorf("without %v and the baseline %q", v.Without, c.Baseline)
	}
	// Both lack the same, so that what is left is compared.
	if s := saving(t, c, "rich"); s.Verdict != Saves {
		t.Errorf("got %+v", s)
	}
	m.cells = []string{"tcp-pod-single"}
	c = m.costs(t, Default(), Options{})
	if s := saving(t, c, "rich"); s.Verdict != NotCompared || s.Reason != "nothing that may differ between them was measured" {
		t.Errorf("got %+v", s)
	}
	if v := find(t, c, "rich"); v.Total.N != 0 || v.Total.Value != 220000 {
		t.Errorf("got %+v", v.Total)
	}
}

// Requests at another rate are not the same work.
func TestOtherRate(t *testing.T) {
	m := normal(8, "tcp-rr")
	value := m.value
	m.value = func(cell, v string, x result.Metric, block int) (float64, bool) {
		if v == "rich" && x.Name == "rate" {
			return 1900, true
		}
		return value(cell, v, x, block)
	}
	cpu := termOf(t, find(t, m.costs(t, Default(), Options{}), "rich"), CPUTerm)
	if cpu.Amount != nil || !strings.Contains(cpu.Missing, "not that of the same work") {
		t.Errorf("got %+v", cpu)
	}
}

func TestInputs(t *testing.T) {
	requests := Default()
	requests.Workload.Requests = 1e9
	noWork := Default()
	noWork.Workload = Workload{}
	for _, tt := range []struct {
		name   string
		cells  []string
		prices Prices
		o      Options
		cell   string
		unit   string
	}{
		{"requests first", []string{"tcp-pod-single", "tcp-rr", "idle"}, Default(), Options{}, "tcp-rr", coresPerNode},
		{"by volume", []string{"tcp-rr"}, requests, Options{}, "tcp-rr", coresPerRequest},
		{"bulk", []string{"idle", "tcp-pod-single"}, Default(), Options{}, "tcp-pod-single", coresPerGbit},
		{"no workload", []string{"tcp-pod-single", "idle"}, noWork, Options{}, "idle", coresPerNode},
		{"chosen", []string{"tcp-rr", "tcp-pod-single"}, Default(), Options{Cells: map[string]string{"CPU": "tcp-pod-single"}}, "tcp-pod-single", coresPerGbit},
		{"chosen metric", []string{"tcp-rr", "tcp-pod-single"}, Default(), Options{Cells: map[string]string{"CPU": "tcp-pod-single/cpu"}}, "tcp-pod-single", coresPerNode},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := normal(6, tt.cells...).costs(t, tt.prices, tt.o)
			if got := c.Inputs[0]; got.Term != CPUTerm || got.Cell != tt.cell || got.How == "" {
				t.Errorf("CPU is from %+v", got)
			}
			if got := termOf(t, find(t, c, "rich"), CPUTerm); got.Quantity == nil || got.Quantity.Unit != tt.unit || got.Amount == nil || got.Amount.Value <= 0 {
				t.Errorf("CPU is %+v", got)
			}
		})
	}
}

func TestBadOptions(t *testing.T) {
	a := normal(6, "tcp-rr").analyze(t)
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{Against: "lena"}, `did you mean "lean"?`},
		{Options{Baseline: "hots"}, `did you mean "host"?`},
		{Options{Cells: map[string]string{"cpu": "tcp-rr"}}, `did you mean "CPU"?`},
		{Options{Cells: map[string]string{"CPU": "tcp-r"}}, `did you mean "tcp-rr"?`},
		{Options{Cells: map[string]string{"CPU": "tcp-rr/busy"}}, "the cell's metrics are latency-p99, rate, cpu, memory"},
	} {
		_, err := Campaign(a, Default(), tt.o)
		var wrong *OptionError
		if !errors.As(err, &wrong) || !strings.Contains(wrong.Hint(), tt.want) {
			t.Errorf("%+v: %v", tt.o, err)
		}
	}
	c, err := Campaign(a, Default(), Options{Cells: map[string]string{"CPU": "tcp-rr/latency-p99"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := termOf(t, c.Variants[1], CPUTerm).Missing; got != `latency-p99 is in "s", and CPU is made from cores or mCPU/(Gbit/s)` {
		t.Errorf("got %q", got)
	}
}

// Runs that are no blocks have no intervals and no tested savings.
func TestUnpairedRuns(t *testing.T) {
	m := normal(8, "tcp-rr")
	m.imported = &plan.Imported{Format: "csv", Source: "made-up.csv"}
	c := m.costs(t, Default(), Options{})
	v := find(t, c, "rich")
	if len(v.Without) > 0 || v.Total.Interval != nil || v.Total.N != 8 {
		t.Errorf("got %+v without %v", v.Total, v.Without)
	}
	if s := saving(t, c, "rich"); s.Verdict != Untested || s.P != nil || s.Estimate.Value >= 0 {
		t.Errorf("got %+v", s)
	}
	half := termOf(t, find(t, m.costs(t, Default(), Options{Machines: 4}), "rich"), CPUTerm).Amount.Value
	if whole := termOf(t, v, CPUTerm).Amount.Value; !near(2*half, whole) {
		t.Errorf("over 4 nodes CPU costs %v, over 2 %v", half, whole)
	}
	m.imported.Interleaved = true
	if s := saving(t, m.costs(t, Default(), Options{}), "rich"); s.Verdict != CostsMore {
		t.Errorf("interleaved runs are blocks: %+v", s)
	}
}

// Two installations of the same differ in memory by a few MiB, in every block
// alike where all blocks are of one installation: that is no saving.
func TestInstallationsThatDiffer(t *testing.T) {
	m := normal(12, "tcp-rr")
	value := m.value
	m.value = func(cell, v string, x result.Metric, block int) (float64, bool) {
		if v == "alike" {
			f, ok := value(cell, "lean", x, block)
			if x.Name == working.Name {
				f -= 6 << 20
			}
			return f, ok
		}
		return value(cell, v, x, block)
	}
	s := saving(t, m.costs(t, Default(), Options{}), "alike")
	if s.Verdict != Equivalent || s.Estimate.Interval.Low <= 0 || s.Margin <= s.Estimate.Value {
		t.Errorf("6 MiB in every block: %+v %+v", s, s.Estimate)
	}
	// A margin is priced like what it is of: 3 % of cores and of the latency
	// above the threshold, 10 MiB of memory.
	cores, latency := 0.0, 0.0
	for b := 1; b <= 12; b++ {
		c, _ := m.value("tcp-rr", "lean", busy, b)
		l, _ := m.value("tcp-rr", "lean", p99, b)
		cores, latency = max(cores, c), max(latency, l)
	}
	if want := 500*(0.03*cores/2*30+10./1024/2*10) + 0.03*latency*1e3*100; !near(s.Margin, want) {
		t.Errorf("the margin is %v, want %v", s.Margin, want)
	}
}

// Blocks of one installation say nothing of the memory of the next, however
// large the difference is; CPU is tested all the same.
func TestOneInstallation(t *testing.T) {
	m := normal(12, "tcp-rr")
	m.single = true
	value := m.value
	m.value = func(cell, v string, x result.Metric, block int) (float64, bool) {
		f, ok := value(cell, v, x, block)
		if v == "alike" {
			f, ok = value(cell, "lean", x, block)
			if x.Name == working.Name {
				f += 300 << 20
			}
		}
		return f, ok
	}
	c := m.costs(t, Default(), Options{})
	s := saving(t, c, "alike")
	if s.Verdict == Saves || s.Verdict == CostsMore || s.Estimate.Interval.High >= 0 || !strings.Contains(s.Reason, "hangs on the memory") {
		t.Errorf("300 MiB in every block of one installation: %+v %+v", s, s.Estimate)
	}
	if s := saving(t, c, "rich"); s.Verdict != CostsMore {
		t.Errorf("more CPU in every block: %+v", s)
	}
	for _, b := range c.BreakEvens {
		if b.Variant == "alike" && (b.Small != "" || b.Large != "") {
			t.Errorf("memory alone decides: %s", b.Answer)
		}
	}
	m.single = false
	if s := saving(t, m.costs(t, Default(), Options{}), "alike"); s.Verdict != CostsMore {
		t.Errorf("an installation for every block: %+v", s)
	}
}

// Other programs have other names for the host network; in a campaign of
// cnibench the entry decides.
func TestBaselineOfImports(t *testing.T) {
	for _, imported := range []*plan.Imported{nil, {Format: "csv", Interleaved: true}} {
		m := normal(8, "tcp-rr")
		m.imported = imported
		value := m.value
		m.variants = []string{"baremetal", "lean", "rich"}
		m.value = func(cell, v string, x result.Metric, block int) (float64, bool) {
			if v == "baremetal" {
				v = "host"
			}
			return value(cell, v, x, block)
		}
		want := ""
		if imported != nil {
			want = "baremetal"
		}
		if c := m.costs(t, Default(), Options{}); c.Baseline != want || (c.Against == "baremetal") == (imported != nil) {
			t.Errorf("imported %v: baseline %q, against %q", imported, c.Baseline, c.Against)
		}
	}
}

// The busy CPU of bulk load can be chosen, and says what it is.
func TestBusyCPUOfBulkLoad(t *testing.T) {
	m := normal(8, "tcp-pod-single", "idle")
	for cell, want := range map[string]bool{"tcp-pod-single/cpu": true, "tcp-pod-single/cpu-per-gbit": false, "idle": false} {
		c := m.costs(t, Default(), Options{Cells: map[string]string{"CPU": cell}})
		if got := strings.Contains(strings.Join(c.Notes, "\n"), "a variant that carries more in the same time costs more here"); got != want {
			t.Errorf("CPU of %s: notes %q", cell, c.Notes)
		}
	}
}

// What CPU saves and the memory of the one installation costs again is no
// saving, and what both save is one.
func TestOneInstallationThatSavesCPU(t *testing.T) {
	for _, tt := range []struct {
		memory float64 // MiB more than lean has
		want   SavingVerdict
	}{
		{-200, Saves}, {0, Saves}, {2000, NotShown},
	} {
		m := normal(12, "tcp-rr")
		m.single = true
		value := m.value
		m.value = func(cell, v string, x result.Metric, block int) (float64, bool) {
			f, ok := value(cell, v, x, block)
			if v == "alike" {
				f, ok = value(cell, "lean", x, block)
				switch x.Name {
				case busy.Name:
					f -= 0.15
				case working.Name:
					f += tt.memory * (1 << 20)
				}
			}
			return f, ok
		}
		c := m.costs(t, Default(), Options{})
		s := saving(t, c, "alike")
		if s.Verdict != tt.want || (s.Verdict == Saves) != (s.Estimate.Interval.Low > s.Margin) {
			t.Errorf("%v MiB more: %+v %+v", tt.memory, s, s.Estimate)
		}
		for _, b := range c.BreakEvens {
			if b.Variant == "alike" && b.By == ByNodes && (b.Large == "alike") != (tt.want == Saves) {
				t.Errorf("%v MiB more: %s", tt.memory, b.Answer)
			}
		}
	}
}

func TestTwinIsNotCompared(t *testing.T) {
	m := normal(8, "tcp-rr")
	m.twin = &plan.Twin{Variant: "lean", Name: "alike"}
	c := m.costs(t, Default(), Options{})
	if !find(t, c, "alike").Twin || len(c.Savings) != 1 {
		t.Errorf("got %+v", c.Savings)
	}
}

// Each price changes what it should and nothing else.
func TestAPriceChangesWhatItShould(t *testing.T) {
	full := Default()
	full.Energy = &Energy{Price: 0.2, GramsCO2: 300, Source: "made up"}
	full.Workload.Requests = 1e9
	m := normal(8, "tcp-rr", "tcp-pod-single")
	cells := Options{Cells: map[string]string{"CPU": "tcp-pod-single"}}
	before := find(t, m.costs(t, full, cells), "rich")
	for _, tt := range []struct {
		name    string
		change  func(p *Prices)
		factors map[string]float64 // other than 1
	}{
		{"nodes", func(p *Prices) { p.Nodes *= 2 }, map[string]float64{NodesTerm: 2, CPUTerm: 2, MemoryTerm: 2, OperationsTerm: 2, EnergyTerm: 2}},
		{"node price", func(p *Prices) { p.Shapes[0].Price *= 3 }, map[string]float64{NodesTerm: 3, OperationsTerm: 3}},
		{"vCPU price", func(p *Prices) { p.CPU = &Rate{Price: p.CPU.Price * 3} }, map[string]float64{CPUTerm: 3}},
		{"memory price", func(p *Prices) { p.Memory = &Rate{Price: p.Memory.Price * 3} }, map[string]float64{MemoryTerm: 3}},
		{"operations", func(p *Prices) { p.Operations = &Operations{Share: 0.05} }, map[string]float64{OperationsTerm: 0.5}},
		{"penalty price", func(p *Prices) { s := *p.Penalty; s.Price = 200; p.Penalty = &s }, nil},
		{"penalty per node", func(p *Prices) { s := *p.Penalty; s.Threshold, s.Per = 1e-4, NodeMonth; p.Penalty = &s }, nil},
		{"energy", func(p *Prices) { p.Energy = &Energy{Price: 0.6, GramsCO2: 300} }, map[string]float64{EnergyTerm: 3}},
		{"load", func(p *Prices) { p.Workload.Gbit = 4 }, map[string]float64{CPUTerm: 4, EnergyTerm: 4}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := full
			p.Shapes = append([]Shape(nil), full.Shapes...)
			tt.change(&p)
			after := find(t, m.costs(t, p, cells), "rich")
			for _, term := range before.Terms {
				factor, ok := tt.factors[term.Name]
				if !ok {
					factor = 1
				}
				got := termOf(t, after, term.Name).Amount.Value
				if term.Name != PenaltyTerm && !near(got, factor*term.Amount.Value) {
					t.Errorf("%s is %v, want %v × %v", term.Name, got, factor, term.Amount.Value)
				}
			}
		})
	}
}

// Who is the cheaper is a matter of prices.
func TestPricesDecide(t *testing.T) {
	m := normal(10, "tcp-rr")
	if s := saving(t, m.costs(t, Default(), Options{}), "rich"); s.Verdict != CostsMore {
		t.Errorf("at the default prices: %+v", s)
	}
	p := Default()
	dear := *p.Penalty
	dear.Price, dear.Per = 1e6, ClusterMonth
	p.Penalty = &dear
	if s := saving(t, m.costs(t, p, Options{}), "rich"); s.Verdict != Saves {
		t.Errorf("where latency is dear: %+v", s)
	}
}

func TestPenalties(t *testing.T) {
	for _, tt := range []struct {
		per      Per
		requests float64
		want     float64 // for 0.25 ms
	}{
		{ClusterMonth, 0, 5}, {NodeMonth, 0, 2500}, {MillionRequests, 3e6, 15}, {MillionRequests, 0, math.NaN()},
	} {
		p := Default()
		s := *p.Penalty
		s.Per = tt.per
		p.Penalty, p.Workload.Requests = &s, tt.requests
		c, err := Figures("made-up", []Entry{{Name: "x", Latency: 250, Throughput: 1, Nodes: 500}}, p, "")
		if err != nil {
			t.Fatal(err)
		}
		got := termOf(t, c.Variants[0], PenaltyTerm)
		switch {
		case math.IsNaN(tt.want):
			if got.Amount != nil || got.Missing == "" {
				t.Errorf("per %s without a volume: %+v", tt.per, got)
			}
		case !near(got.Amount.Value, tt.want):
			t.Errorf("per %s: %v, want %v", tt.per, got.Amount.Value, tt.want)
		}
	}
}

func TestEnergy(t *testing.T) {
	p := Default()
	p.Energy = &Energy{Price: 0.2, GramsCO2: 300, Source: "made up"}
	m := normal(6, "tcp-pod-single")
	m.value = func(_, variant string, x result.Metric, _ int) (float64, bool) {
		return map[string]float64{"throughput": 20e9, "cpu-per-gbit": 40 + 10*float64(len(variant)%4), "cpu": 1, "memory": 1 << 30, "energy-per-gbit": 3 + float64(len(variant)-4)}[x.Name], true
	}
	m.variants = []string{"host", "alike"} // 1 J/Gbit and 10 mCPU/(Gbit/s) more
	v := find(t, m.costs(t, p, Options{}), "alike")
	if got, want := termOf(t, v, EnergyTerm).Amount.Value, 500*1*730/1000.*0.2; !near(got, want) {
		t.Errorf("energy costs %v, want %v", got, want)
	}
	if got, want := v.Carbon.Estimate.Value, 500*730/1000.*300/1000; !near(got, want) {
		t.Errorf("%v kg of CO₂, want %v", got, want)
	}
	// Estimated from the CPU where nothing was measured.
	p.Energy = &Energy{Price: 0.2, WattsPerVCPU: 5, Source: "made up"}
	lost := m.without("host", 1, "energy-per-gbit")
	c := lost.costs(t, p, Options{})
	v = find(t, c, "alike")
	if got, want := termOf(t, v, EnergyTerm).Amount.Value, 500*0.01*5*730/1000.*0.2; !near(got, want) {
		t.Errorf("energy is estimated to cost %v, want %v", got, want)
	}
	if v.Carbon != nil {
		t.Errorf("CO₂ without a figure for it: %+v", v.Carbon)
	}
	for _, in := range c.Inputs {
		if in.Term == EnergyTerm && (in.Missing != "" || in.Metric != "cpu-per-gbit" || !strings.Contains(in.How, "5 W for each vCPU")) {
			t.Errorf("energy that is priced: %+v", in)
		}
	}
}
