package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/report"
	"github.com/cnibench/cnibench/internal/result"
)

// A pair of trials is what the user wrote, or an error that names the nearest.
func TestChooseSides(t *testing.T) {
	p := plan.Plan{
		Variants: []plan.Variant{{Name: "host"}, {Name: "flannel-vxlan"}}, Cells: []plan.Cell{{ID: "tcp-pod-single"}, {ID: "message-size.sizes=64,128"}},
	}
	for b := 1; b <= 3; b++ {
		p.Blocks = append(p.Blocks, plan.Block{Index: b, Order: []string{"host", "flannel-vxlan"}, Cells: []string{"tcp-pod-single", "message-size.sizes=64,128"}})
	}
	s := report.Source{Analysis: analysis.Analysis{
		Plan:    p,
		Dropped: []analysis.Dropped{{Block: 2, Variant: "host", Cell: "tcp-pod-single", Status: result.Failed, Reason: "no route"}},
		Missing: []analysis.Missing{{Block: 3, Variant: "host", Cell: "tcp-pod-single"}},
	}}
	for _, key := range []result.Key{{Block: 1, Variant: "host", Cell: "tcp-pod-single"}, {Block: 1, Variant: "flannel-vxlan", Cell: "tcp-pod-single"}, {Block: 2, Variant: "host", Cell: "message-size.sizes=64,128"}} {
		s.Series = append(s.Series, report.Series{Block: key.Block, Variant: key.Variant, Cell: key.Cell})
	}
	for _, test := range []struct{ text, want, hint string }{
		{"1/host/tcp-pod-single,1/flannel-vxlan/tcp-pod-single", "1/host/tcp-pod-single 1/flannel-vxlan/tcp-pod-single", ""},
		{" raw/1/flannel-vxlan/tcp-pod-single/, raw/1/host/tcp-pod-single", "1/flannel-vxlan/tcp-pod-single 1/host/tcp-pod-single", ""},
		{"2/host/message-size.sizes=64,128,1/host/tcp-pod-single", "2/host/message-size.sizes=64,128 1/host/tcp-pod-single", ""},
		{"1/host/tcp-pod-single", "is not two trials", "such as 1/host/tcp-pod-single,2/host/message-size.sizes=64,128"},
		{"", "is not two trials", ""},
		{"1/hots/tcp-pod-single,1/flannel-vxlan/tcp-pod-single", `there is no trial "1/hots/tcp-pod-single"`, `did you mean "1/host/tcp-pod-single"?`},
		{"1/host/tcp-pod-single,9/flannel-vxlan/tcp-pod-single", `there is no trial "9/flannel-vxlan/tcp-pod-single"`, `did you mean "1/flannel-vxlan/tcp-pod-single"?`},
		{"1/host/tcp-pod-single,what", `there is no trial "what"`, "BLOCK/VARIANT/CELL, such as 1/host/tcp-pod-single"},
		{"2/host/tcp-pod-single,1/host/tcp-pod-single", "has no time series: failed, no route", "such as 1/host/tcp-pod-single"},
		{"1/host/tcp-pod-single,3/host/tcp-pod-single", "has no time series: not measured", "such as 1/host/tcp-pod-single"},
		{"1/host/tcp-pod-single,2/flannel-vxlan/tcp-pod-single", "2/flannel-vxlan/tcp-pod-single has no time series", "raw/ has the series"},
		{"1/host/tcp-pod-single,1/host/tcp-pod-single", "is there twice", ""},
	} {
		got, err := chooseSides(test.text, s)
		if err == nil {
			if text := trialName(got[0]) + " " + trialName(got[1]); text != test.want {
				t.Errorf("%q is %q", test.text, text)
			}
			continue
		}
		var exit *exitError
		if !strings.Contains(err.Error(), test.want) || !strings.Contains(hintOf(err), test.hint) || !errors.As(err, &exit) || exit.status != exitUsage {
			t.Errorf("%q: %v; hint %q, want %q and %q", test.text, err, hintOf(err), test.want, test.hint)
		}
	}
	s.Series = nil
	if _, err := chooseSides("1/host/tcp-pod-single,1/flannel-vxlan/tcp-pod-single", s); err == nil || !strings.Contains(err.Error(), "no time series") {
		t.Errorf("results without raw/: %v", err)
	}
}
