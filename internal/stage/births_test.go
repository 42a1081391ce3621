package stage

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/birth"
)

// A node that does not answer costs what it would have told, and not the trial.
func TestBirthsOfANodeThatHangs(t *testing.T) {
	hangs := func(ctx context.Context, _ []string, stdin io.Reader, _, _ io.Writer) error {
		if _, err := bufio.NewReader(stdin).ReadString('\n'); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	}
	answers := fakeProbe(frame(t, probe.FrameBirths, birth.Report{Births: []birth.Birth{{UID: "u"}}}), "", nil)
	stop := func(node string, run Runner, patience time.Duration) Born {
		ctx, cut := context.WithCancel(t.Context())
		s, err := Open(ctx, "watch of births on "+node, run, "births", birth.Spec{})
		if err != nil {
			t.Fatal(err)
		}
		return (&Births{map[string]birthWatch{node: {s, cut}}, nil, map[string]string{}, patience}).Stop()
	}
	if born := stop("node1", answers, time.Hour); len(born.Lost) > 0 || len(born.ByUID) != 1 {
		t.Errorf("a node that answers: %+v", born)
	}
	born := stop("node2", hangs, time.Millisecond)
	if why := born.Lost["node2"]; !strings.Contains(why, "within 1ms") || len(born.ByUID) > 0 {
		t.Errorf("a node that hangs: %+v", born)
	}
}
