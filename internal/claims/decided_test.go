package claims

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What weighs most comes first, and the rest is grouped by reason.
func TestDecided(t *testing.T) {
	r := single(8, map[string]float64{"host": 20, "fast": 15, "slow": 10}).results(t, "host", "fast", "slow")
	s, err := Parse("mine.yaml", []byte(head+`
  - {id: right, lines: 1, statement: x, kind: ratio, variant: slow, base: host, change: -50%, `+measureSingle+`}
  - {id: elsewhere, lines: 2, statement: x, kind: value, variant: slow, value: 10, unit: Gbit/s, `+measureSingle+`}
  - {id: wrong, lines: 3-4, statement: x, kind: ratio, variant: slow, base: host, change: -10%, `+measureSingle+`}
  - {id: clean, lines: 5, statement: x, kind: ordering, better: higher, variants: [host, slow], setup: {hardware: any}, `+measureSingle+`}
  - {id: order, lines: 6, statement: x, kind: ordering, better: higher, variants: [fast, host, slow], `+measureSingle+`}
  - {id: soon, lines: 7, statement: x, kind: forecast}
  - {id: later, lines: 8, statement: x, kind: forecast}
  - {id: udp, lines: 9, statement: x, kind: value, variant: slow, value: 10, unit: Gbit/s, measure: {scenario: udp, metric: throughput}}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Check([]Source{s}, r)
	if err != nil {
		t.Fatal(err)
	}
	want := "[{confirmed 2} {contradicted 2} {not comparable 1} {not measured 1} {not testable 2}]"
	if got := fmt.Sprint(c.Counts()); got != want {
		t.Errorf("counts %s, want %s", got, want)
	}
	var names []string
	for _, o := range c.Decided() {
		names = append(names, fmt.Sprintf("%s %s %d", o.State, o.ID, len(o.Doubts)))
		if _, _, _, ok := o.Decisive(); !ok {
			t.Errorf("%s is %s by no reading", o.ID, o.State)
		}
	}
	if diff := cmp.Diff([]string{"contradicted wrong 1", "contradicted order 1", "confirmed clean 0", "confirmed right 1"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	rest := map[State]int{}
	for _, reason := range c.Reasons() {
		rest[reason.State] += len(reason.Claims)
		if (reason.Why == "") != (reason.State == NotTestable) {
			t.Errorf("%s: why %q", reason.State, reason.Why)
		}
	}
	if diff := cmp.Diff(map[State]int{NotComparable: 1, NotMeasured: 1, NotTestable: 2}, rest); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The figure that stands for a claim is one that agrees with the outcome, and
// of one value there is no interval to show.
func TestDecisive(t *testing.T) {
	r := single(8, map[string]float64{"host": 20, "fast": 15, "slow": 10}).results(t, "host", "fast", "slow")
	o := outcome(t, r, "kind: ordering, better: higher, variants: [host, slow, fast], "+measureSingle)
	reading, agreeing, of, ok := o.Decisive()
	if !ok || agreeing != 1 || of != 3 || reading.Variant != "slow" || reading.Against != "fast" {
		t.Errorf("%+v, %d of %d, %v", reading, agreeing, of, ok)
	}
	if got := reading.Subject() + ": " + reading.Figure() + ", allowed " + reading.Allowed(); got != "tcp-pod-single throughput, slow against fast: −33.3 %, allowed more than +3.0 %" {
		t.Error(got)
	}
	few := single(1, map[string]float64{"host": 20, "slow": 10}).results(t, "host", "slow")
	o = outcome(t, few, "kind: ratio, variant: slow, base: host, change: -50%, "+measureSingle)
	if reading, _, _, ok := o.Decisive(); !ok || reading.Interval() != "" || reading.N != 1 {
		t.Errorf("%+v, %v", reading, ok)
	}
}
