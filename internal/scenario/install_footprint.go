package scenario

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// What an installation brings along. A count that differs by one differs.
var (
	installObjects = counted("objects", "objects", "objects that are installed; an operator may make more")
	installCRDs    = counted("custom-resources", "definitions", "custom resource definitions that are installed")
	imageBytes     = result.Metric{Name: "image-bytes", Unit: "bytes", Better: result.Lower, Scale: result.Difference, Margin: 10 << 20,
		Help: "size of all images of the plugin as the container runtime counts it, each once; in a lab they are the lab's own builds"}
	privileged     = counted("privileged-containers", "containers", "containers that are privileged, by pod template")
	capabilities   = counted("capabilities", "capabilities", "different capabilities that containers add")
	hostNamespaces = counted("host-namespaces", "uses", "uses of the node's network, PID or IPC namespace, by pod template")
	hostPaths      = counted("host-paths", "paths", "different directories of the node that pods mount")
	permissions    = counted("permissions", "permissions", "different pairs of verb and resource that roles grant; a wildcard is one")
	broadGrants    = counted("broad-grants", "grants", "rules with a wildcard or with escalate, bind or impersonate, and bindings of cluster-admin")

	timeToApply      = installTime("time-to-apply", "from the first change to the cluster until the API has taken all manifests")
	timeToAgents     = installTime("time-to-agents-ready", "from the first change until all that the plugin starts says that it is ready")
	timeToNodes      = installTime("time-to-nodes-ready", "from the first change until all nodes can run pods")
	timeToFirstReply = installTime("time-to-first-reply", "from the first change until a new pod had an answer from one on another node; starting both is in it")
)

func counted(name, unit, help string) result.Metric {
	return result.Metric{Name: name, Unit: unit, Better: result.Lower, Scale: result.Difference, Margin: 0.5, Help: help}
}

func installTime(name, help string) result.Metric {
	return result.Metric{Name: name, Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: 0.10, Help: help}
}

func init() {
	register(Scenario{
		Name:  "install-footprint",
		Title: "what an installation takes, brings along and asks for",
		Description: "Times of the installation that the variant runs by, stamped when it was made: every block has one with freshCluster: true; " +
			"otherwise the first block has the only one, and later blocks are unsupported. Objects and privileges are counted in the manifests as " +
			"they were applied. The host baseline installs nothing: it counts zero, and has no times. Times are as exact as the API is asked, " +
			"50 ms, and nodes say that they are ready when their kubelet next reports it.",
		Metrics: []result.Metric{
			installObjects, timeToNodes, timeToAgents, timeToFirstReply, timeToApply, imageBytes, installCRDs,
			privileged, capabilities, hostNamespaces, hostPaths, permissions, broadGrants,
		},
		Expected: func(parameter.Values) time.Duration { return time.Second },
		Run:      measureFootprint,
	})
}

func measureFootprint(ctx context.Context, b *stage.Bench, _ plan.Cell) (stage.Measurement, error) {
	i := b.Installation
	switch {
	case b.Entry.Variant.Present:
		return stage.Measurement{}, &stage.UnsupportedError{Reason: "the plugin was in the cluster before: nobody saw its installation"}
	case i.Earlier:
		return stage.Measurement{}, &stage.UnsupportedError{Reason: "one installation per variant, measured in the block in which it was made; freshCluster: true measures it in every block"}
	}
	f, err := i.Manifests.Footprint()
	if err != nil {
		return stage.Measurement{}, err
	}
	sizes, unknown, err := cni.ImageSizes(ctx, b.Cluster, i.Manifests.Images)
	if err != nil {
		return stage.Measurement{}, err
	}
	if err := b.KeepJSON("footprint.json", map[string]any{"footprint": f, "timeline": i.Timeline, "images": sizes, "imagesOfUnknownSize": unknown}); err != nil {
		return stage.Measurement{}, err
	}
	b.Keep("manifests.sha256", []byte(i.Manifests.Digest+"\n"))
	m := stage.Measurement{Values: footprintValues(f, sizes, unknown), Facts: footprintFacts(f, sizes, unknown)}
	m.Window = installationWindow(i)
	m.Values = append(m.Values, installationTimes(i)...)
	return m, nil
}

// installationWindow is the time of the installation, or this moment if there was none.
func installationWindow(i stage.Installation) result.Window {
	t := i.Timeline
	if t.Begun.IsZero() {
		now := time.Now().UTC()
		return result.Window{Start: now, End: now}
	}
	last := t.Applied
	for _, at := range []time.Time{t.NodesReady, t.AgentsReady, t.FirstReply} {
		if at.After(last) {
			last = at
		}
	}
	return result.Window{Start: t.Begun, End: last}
}

// installationTimes are none where nothing was installed.
func installationTimes(i stage.Installation) []result.Value {
	t := i.Timeline
	if t.Begun.IsZero() {
		return nil
	}
	var values []result.Value
	for _, step := range []struct {
		metric result.Metric
		at     time.Time
	}{{timeToNodes, t.NodesReady}, {timeToAgents, t.AgentsReady}, {timeToFirstReply, t.FirstReply}, {timeToApply, t.Applied}} {
		values = append(values, result.Value{Metric: step.metric, Value: step.at.Sub(t.Begun).Seconds()})
	}
	return values
}

// footprintValues leaves the images' bytes out where they are not known of all.
func footprintValues(f cni.Footprint, sizes map[string]int64, unknown []string) []result.Value {
	var values []result.Value
	for _, c := range []struct {
		metric result.Metric
		count  int
	}{
		{installObjects, f.Objects()}, {installCRDs, f.Kinds["CustomResourceDefinition"]}, {privileged, f.Privileged},
		{capabilities, len(f.Capabilities)}, {hostNamespaces, len(f.Namespaces)}, {hostPaths, len(f.HostPaths)},
		{permissions, f.Permissions}, {broadGrants, len(f.Broad)},
	} {
		values = append(values, result.Value{Metric: c.metric, Value: float64(c.count)})
	}
	if len(unknown) > 0 {
		return values
	}
	total := 0.0
	for _, size := range sizes {
		total += float64(size)
	}
	return append(values, result.Value{Metric: imageBytes, Value: total})
}

func footprintFacts(f cni.Footprint, sizes map[string]int64, unknown []string) map[string]string {
	facts := map[string]string{"images": fmt.Sprint(len(sizes) + len(unknown))}
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(f.Kinds)) {
		kinds = append(kinds, fmt.Sprintf("%d %s", f.Kinds[kind], kind))
	}
	for name, list := range map[string][]string{
		"kinds": kinds, "capabilities": f.Capabilities, "host namespaces": f.Namespaces, "host paths": f.HostPaths,
		"broad grants": f.Broad, "images of unknown size": unknown,
	} {
		if len(list) > 0 {
			facts[name] = strings.Join(list, "; ")
		}
	}
	return facts
}
