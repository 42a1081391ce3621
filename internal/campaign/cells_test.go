package campaign_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCellIDsNameWhatDiffers(t *testing.T) {
	for _, tt := range []struct {
		name, scenarios string
		want            []string
	}{
		{"plain", "[tcp-pod-single, tcp-service-multi]", []string{"tcp-pod-single", "tcp-service-multi"}},
		{"given but not varied", "[{name: tcp-service-multi, streams: 4, duration: 1m}]", []string{"tcp-service-multi"}},
		{"list of one", "[{name: tcp-service-multi, streams: [4]}]", []string{"tcp-service-multi"}},
		{
			"list", "[tcp-pod-single, {name: tcp-service-multi, streams: [4, 1]}]",
			[]string{"tcp-pod-single", "tcp-service-multi.streams=4", "tcp-service-multi.streams=1"},
		},
		{
			"two lists", "[{name: tcp-service-multi, streams: [1, 4], placement: [cross-node, same-node]}]",
			[]string{
				"tcp-service-multi.streams=1.placement=cross-node", "tcp-service-multi.streams=1.placement=same-node",
				"tcp-service-multi.streams=4.placement=cross-node", "tcp-service-multi.streams=4.placement=same-node",
			},
		},
		{
			"twice", "[{name: tcp-pod-single, duration: 1m}, {name: tcp-pod-single, duration: 1h}, {name: tcp-pod-single, duration: 90s, omit: 3s}]",
			[]string{
				"tcp-pod-single.duration=1m.omit=2s", "tcp-pod-single.duration=1h.omit=2s",
				"tcp-pod-single.duration=1m30s.omit=3s",
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := parse(t, "  variants: [host]\n  scenarios: "+tt.scenarios+"\n")
			var got []string
			for _, cell := range c.Spec.Cells() {
				got = append(got, cell.ID)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
