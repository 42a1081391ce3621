package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/stage"
)

// uninstallTimeout bounds the removal of a variant, also after an interrupt.
const uninstallTimeout = 5 * time.Minute

// UncleanError says that a variant could not be taken out of a cluster that
// others are to be measured on: every later figure would be worthless.
type UncleanError struct {
	Variant string
	Err     error
}

func (e *UncleanError) Error() string {
	return fmt.Sprintf("removing %s from the cluster: %v", e.Variant, e.Err)
}

func (e *UncleanError) Unwrap() error { return e.Err }

// Hint says how to go on.
func (e *UncleanError) Hint() string {
	var hinted interface{ Hint() string }
	if errors.As(e.Err, &hinted) {
		return hinted.Hint()
	}
	return "`cnibench variants remove` finishes the removal"
}

// KeptError says that a cluster was left as it is, for inspection.
type KeptError struct {
	Variant string
	Err     error
}

func (e *KeptError) Error() string {
	return e.Err.Error() + "; the cluster is left as it is, for inspection"
}

func (e *KeptError) Unwrap() error { return e.Err }

// End ends the variant's time: with its cluster, or by taking it out of a
// cluster that goes on, whose nodes are then proven to be as before. That is
// done to its end, within bounds, also if ctx has ended. An error in a shared
// cluster is an *UncleanError.
func (i *Installed) End(ctx context.Context, report func(step string)) error {
	if !i.shared {
		return i.Cluster.Remove()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), uninstallTimeout)
	defer cancel()
	report("ending load pods")
	if err := i.Cluster.RemoveLoad(ctx); err != nil {
		return &UncleanError{i.Variant, err}
	}
	if i.Stage != nil {
		if err := stage.LabelNamespace(ctx, i.Cluster, nil); err != nil {
			return &UncleanError{i.Variant, err}
		}
	}
	if !i.touched {
		return nil
	}
	report(fmt.Sprintf("removing %s and proving that the nodes are as before (%s at most)", i.Variant, uninstallTimeout))
	if err := removeVariant(ctx, i, report); err != nil {
		return &UncleanError{i.Variant, err}
	}
	return nil
}

// begin makes sure that what End removes is what this run installs: a plugin
// that was installed before is its installer's, and stays.
func (i *Installed) begin(ctx context.Context) error {
	if i.Entry.None() {
		return nil
	}
	if i.shared {
		old, found, err := cni.Installed(ctx, i.Cluster)
		if err != nil {
			return err
		}
		if found {
			return &cni.InstalledError{Variant: old.Variant, Complete: old.Complete}
		}
	}
	i.touched = true
	return nil
}

// removeVariant takes out what was installed, if it came as far as that.
func removeVariant(ctx context.Context, i *Installed, report func(string)) error {
	_, found, err := cni.Installed(ctx, i.Cluster)
	if err != nil || !found {
		return err
	}
	_, err = cni.Remove(ctx, i.Cluster, report)
	return err
}
