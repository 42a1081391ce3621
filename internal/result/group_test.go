package result

import "testing"

func TestPairName(t *testing.T) {
	if from, to, ok := PairOf(PairName("node1", "ip-10-0-0-1.internal")); !ok || from != "node1" || to != "ip-10-0-0-1.internal" {
		t.Errorf("from %s to %s, %t", from, to, ok)
	}
	for _, other := range []string{"throughput", "", ">", "node1>", ">node1"} {
		if from, to, ok := PairOf(other); ok {
			t.Errorf("%q is of %s and %s", other, from, to)
		}
	}
}
