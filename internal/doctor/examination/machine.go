package examination

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"strings"

	"github.com/cnibench/cnibench/internal/doctor"
	"github.com/cnibench/cnibench/internal/lab"
	"github.com/cnibench/cnibench/internal/probe/facts"
	"github.com/cnibench/cnibench/internal/probe/vitals"
)

// Here looks at this machine, on which labs are to run.
func Here(ctx context.Context, place string) (doctor.Snapshot, error) {
	s := doctor.Snapshot{Kind: doctor.Machine, Place: place, Missing: map[doctor.Part]string{}}
	s.LabMachine = labMachine()
	_, kernel := facts.ReadHere()
	v := vitals.Read(ctx, vitals.Spec{Address: "127.0.0.1"})
	n := doctor.Node{Name: "this machine", CPUs: runtime.NumCPU(), Facts: kernel, Vitals: &v, Missing: map[doctor.Part]string{}}
	if mib, _, found := strings.Cut(kernel.Values["memory.total"], " MiB"); found {
		n.MemoryMiB, _ = strconv.ParseInt(mib, 10, 64) // 0: it is not known
	}
	s.Nodes = []doctor.Node{n}
	idle, err := watchHere(ctx)
	if err != nil {
		s.Missing[doctor.PartIdle] = err.Error()
	} else {
		s.Idle = map[string]doctor.Idle{n.Name: idle}
	}
	return s, ctx.Err()
}

// labMachine asks the lab's own checks.
func labMachine() *doctor.Attempt {
	a := &doctor.Attempt{What: "root, Linux, control groups, overlay, namespaces, cubic and space are there"}
	err := lab.CheckMachine()
	if a.Done = err == nil; err != nil {
		a.Why = err.Error()
		var unfit *lab.UnfitError
		if errors.As(err, &unfit) {
			a.Why, a.Fix = unfit.Reason, unfit.Hint
		}
	}
	return a
}
