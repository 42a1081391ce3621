package scenario

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/stage"
)

// disruptionName is the scenario's.
const disruptionName = "disruption"

// sameVersion stands for the version that the cluster has.
const sameVersion = "same"

var upgradeTo = parameter.Parameter{
	Name: "to", Kind: parameter.Text, Default: []string{sameVersion}, Word: sameVersion + " or a version as in `cnibench variants show`",
	Help: "for upgrade: the version that the plugin becomes, from the variant's own; same rolls out what is installed anew",
}

const (
	// putBackTimeout bounds how long the old version may take to be there again,
	// and putBackLimit that and what follows: it is longer, so that who waits
	// says what for.
	putBackTimeout = 5 * time.Minute
	putBackLimit   = putBackTimeout + 4*settleTimeout
	// putBackExpected is about what it takes.
	putBackExpected = 20 * time.Second
)

// UpgradesTo is the version that a cell upgrades the plugin to; empty: it does
// not, or rolls out what is there.
func UpgradesTo(cell plan.Cell) string {
	if cell.Scenario != disruptionName || cell.Parameters.Text(upgradeTo.Name) == sameVersion {
		return ""
	}
	return cell.Parameters.Text(upgradeTo.Name)
}

// disruptionMisfit refuses a version without an upgrade.
func disruptionMisfit(v parameter.Values) (problem, remedy string) {
	if event := v.Text("event"); event != upgradeEvent && v.Text("to") != sameVersion {
		return "to is the version of an upgrade, and event is " + event, "leave it out, or write event: upgrade"
	}
	return "", ""
}

// upgradeLacks says why a variant cannot become a version; empty: the catalog
// knows of no reason.
func upgradeLacks(e cni.Entry, to string) string {
	switch {
	case e.Variant.Present:
		return "the cluster's plugin was not installed by cnibench, which has no manifests of it to roll out"
	case e.None():
		return e.Name + " installs no plugin that could be upgraded"
	case to == sameVersion:
		return ""
	case e.Is(to):
		return fmt.Sprintf("%s is %s already; to: %s rolls it out anew", e.Name, e.Version, sameVersion)
	}
	_, err := e.In(to)
	var unknown *cni.UnknownVersionError
	switch {
	case errors.As(err, &unknown):
		return fmt.Sprintf("%v; it has %s", err, strings.Join(unknown.Known, ", "))
	case err != nil:
		return err.Error()
	}
	return ""
}

// prepareUpgrade finds out what leads to the other version and back.
func (d *disruption) prepareUpgrade(ctx context.Context) (disruptor, error) {
	to := d.v.Text(upgradeTo.Name)
	if reason := upgradeLacks(d.Entry, to); reason != "" {
		return disruptor{}, &stage.UnsupportedError{Reason: reason}
	}
	if !d.Cluster.MayChangeCNI() {
		return disruptor{}, &stage.UnsupportedError{Reason: untouchable}
	}
	next, err := d.manifestsOf(ctx, to)
	if err != nil {
		return disruptor{}, err
	}
	up, err := cni.PlanUpgrade(ctx, d.Cluster, d.Entry, d.Installation.Manifests, next)
	var not *cni.NotUpgradedError
	if errors.As(err, &not) {
		return disruptor{}, &stage.UnsupportedError{Reason: not.Reason}
	}
	if err != nil {
		return disruptor{}, err
	}
	from := cmp.Or(d.Entry.Version, "as installed")
	var begun time.Time
	return disruptor{
		what:  up.What(),
		where: "all nodes, new pods on " + d.node,
		begin: func(ctx context.Context) error {
			begun = time.Now()
			err := up.Begin(ctx)
			if apierrors.IsForbidden(err) {
				return &stage.UnsupportedError{Reason: "event " + upgradeEvent + " needs the rights of an installation: " + err.Error()}
			}
			return err
		},
		over:    up.Over,
		undo:    func(ctx context.Context) error { return up.Undo(ctx, putBackTimeout) },
		changed: up.Changed,
		facts: func() map[string]string {
			return map[string]string{"from": from, "to": to, "rolled out": up.RolledOut(begun)}
		},
	}, nil
}

// manifestsOf renders the variant in another version, or marks those that are
// installed so that they are rolled out once more.
func (d *disruption) manifestsOf(ctx context.Context, to string) (cni.Manifests, error) {
	installed := d.Installation.Manifests
	if to == sameVersion {
		return installed.Anew(time.Now().UTC().Format(time.RFC3339Nano))
	}
	other, err := d.Entry.In(to)
	if err != nil {
		return cni.Manifests{}, err
	}
	m, err := other.RenderWith(ctx, d.Charts, d.Cluster.Site(), installed.Key)
	if errors.Is(err, cni.ErrNoChart) {
		return m, &stage.UnsupportedError{Reason: fmt.Sprintf("chart not in this supply: %s %s", d.Entry.Name, to)}
	}
	if err != nil {
		return m, err
	}
	lacking, err := d.Cluster.Lacks(m.Images)
	if err != nil {
		return m, err
	}
	if len(lacking) > 0 {
		return m, &stage.UnsupportedError{Reason: "image not in this supply: " + strings.Join(lacking, ", ")}
	}
	return m, nil
}

// putBack undoes an event that changed the plugin for good, also after an
// interrupt, and returns when packets pass. Its error is an
// [*stage.AlteredError]. The time that it took becomes a fact. It does so once;
// and not after an interrupt where the cluster is about to go, too.
func (d *disruption) putBack(ctx context.Context, facts map[string]string) error {
	if d.event.undo == nil || !d.begun || !d.event.changed() {
		return nil
	}
	d.begun = false
	if errors.Is(ctx.Err(), context.Canceled) && !d.Installation.Outlives {
		return nil
	}
	version := cmp.Or(d.Entry.Version, "what was installed")
	if d.Report != nil {
		d.Report(fmt.Sprintf("putting %s back to %s (%s at most)", d.Entry.Name, version, putBackLimit))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), putBackLimit)
	defer cancel()
	begun := time.Now()
	for _, step := range []func(context.Context) error{d.event.undo, d.settle, d.reach} {
		if err := step(ctx); err != nil {
			return &stage.AlteredError{Err: fmt.Errorf("putting %s back to %s: %w", d.Entry.Name, version, err)}
		}
	}
	if facts != nil {
		facts["put back"] = fmt.Sprintf("%s after %s", version, time.Since(begun).Round(10*time.Millisecond))
	}
	return nil
}

// reach waits until the two ends reach each other.
func (d *disruption) reach(ctx context.Context) error {
	return cluster.Until(ctx, settleTimeout, "the datapath to answer again", func(ctx context.Context) error {
		return cni.Reach(ctx, d.Cluster, d.pair.Client, d.pair.Server.IP, stage.EchoPort)
	})
}
