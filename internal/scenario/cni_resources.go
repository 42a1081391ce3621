package scenario

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// cniMemoryMax is what a memory limit would have to allow.
var cniMemoryMax = result.Metric{Name: "cni-memory-max", Unit: "bytes", Better: result.Lower, Scale: result.Difference, Margin: 10 << 20,
	Help: "largest working set of the plugin's own pods; of several machines the sum of each one's largest"}

var resourceMetrics = []result.Metric{stage.CNICPU, stage.CNIMemory, cniMemoryMax, stage.CPU, stage.Memory}

// resourceLoad chooses what happens meanwhile: a scenario of that name at its
// defaults, or loadServices.
var resourceLoad = parameter.Parameter{
	Name: "load", Kind: parameter.Choice, Default: []string{"idle", "tcp-pod-multi", "tcp-crr", loadServices},
	Choices: []string{"idle", "tcp-pod-multi", "udp-pod-multi", "tcp-crr", loadServices},
	Help:    "what happens meanwhile: that scenario at its defaults, or Services are created",
}

var serviceCount = parameter.Parameter{
	Name: "services", Kind: parameter.Integer, Default: []string{"100"}, Min: "1", Max: "1000",
	Help: "Services that load services creates, evenly over the duration",
}

func init() {
	register(Scenario{
		Name:  "cni-resources",
		Title: "what the plugin's own pods use, idle and under load",
		Description: "CPU and memory of the plugin's own pods, of everything that runs for the cluster and of the machines, while another " +
			"scenario's load runs, or while Services are created that all lead to one pod; each load is a cell. The difference to the host " +
			"baseline under the same load is the plugin's; what the load carried meanwhile is a fact, since more traffic costs more. " +
			"The datapath in the kernel is in cpu and in nobody's pods, and a plugin that replaces kube-proxy does kube-proxy's work. " +
			"CPU is counted by control group at the kernel's resolution, memory once per second, ten times under 5 s.",
		Metrics:    resourceMetrics,
		Parameters: []parameter.Parameter{resourceLoad, duration, omit, serviceCount, stage.Placement},
		Run:        measureCNIResources,
	})
}

func measureCNIResources(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
	var seen *stage.Machines
	inner := *b
	inner.Observe = func(ms stage.Machines) { seen = &ms }
	load := cell.Parameters.Text(resourceLoad.Name)
	var m stage.Measurement
	var err error
	if load == loadServices {
		m, err = measureServices(ctx, &inner, cell.Parameters)
	} else {
		m, err = measureAs(ctx, &inner, load, cell)
	}
	if err != nil {
		return stage.Measurement{}, err
	}
	return onlyResources(b, m, seen)
}

// measureAs runs another scenario with the cell's parameters where it takes
// them, and its own defaults otherwise.
func measureAs(ctx context.Context, b *stage.Bench, name string, cell plan.Cell) (stage.Measurement, error) {
	other, err := Find(name)
	if err != nil {
		return stage.Measurement{}, err
	}
	values := parameter.Values{}
	for _, p := range other.Parameters {
		values[p.Name] = p.Defaults()[0]
		if cell.Parameters.Has(p.Name) {
			values[p.Name] = cell.Parameters.Text(p.Name)
		}
	}
	m, err := other.Measure(ctx, b, plan.Cell{ID: cell.ID, Scenario: other.Name, Parameters: values})
	if err != nil {
		return stage.Measurement{}, fmt.Errorf("load %s: %w", name, err)
	}
	if m.Facts == nil {
		m.Facts = map[string]string{}
	}
	for _, v := range m.Values {
		if v.Name == other.Metrics[0].Name && !isResource(v.Metric) {
			m.Facts[v.Name] = strconv.FormatFloat(v.Value, 'g', 4, 64) + " " + v.Unit
		}
	}
	return m, nil
}

// onlyResources keeps what this scenario reports, and adds the largest memory.
// Marks of the load's own figures go with them.
func onlyResources(b *stage.Bench, m stage.Measurement, seen *stage.Machines) (stage.Measurement, error) {
	if seen == nil {
		return stage.Measurement{}, fmt.Errorf("the load has sampled nothing")
	}
	m.Values = slices.DeleteFunc(m.Values, func(v result.Value) bool { return !isResource(v.Metric) })
	m.Marks = slices.DeleteFunc(m.Marks, func(k result.Mark) bool { return k.Name != stage.MarkSaturated })
	maps.DeleteFunc(m.Missing, func(name, _ string) bool { return !isResource(result.Metric{Name: name}) })
	m.Follow(largestMemory(b, *seen))
	return m, nil
}

// largestMemory is the plugin's; without pods of its own that is a true zero.
func largestMemory(b *stage.Bench, ms stage.Machines) stage.Figures {
	var f stage.Figures
	plugin, err := stage.GroupTotal(ms.Summaries, stage.GroupCNI)
	switch unattributed := b.Unattributed(); {
	case ms.Unknown != "":
		f.Lack(ms.Unknown, cniMemoryMax)
	case unattributed != "":
		f.Lack(unattributed, cniMemoryMax)
	case len(b.Entry.Agents) == 0:
		f.Add(cniMemoryMax, 0)
	case err != nil:
		f.Lack(err.Error(), cniMemoryMax)
	default:
		f.Add(cniMemoryMax, plugin.WorkingSet.Max)
	}
	return f
}

func isResource(m result.Metric) bool {
	return slices.ContainsFunc(resourceMetrics, func(r result.Metric) bool { return r.Name == m.Name })
}

// hold waits for the warm-up and then for the measured time, and returns when
// that was.
func hold(ctx context.Context, omit, measured time.Duration, work func(context.Context) error) (sample.Window, error) {
	if err := sleep(ctx, omit); err != nil {
		return sample.Window{}, err
	}
	w := sample.Window{Start: time.Now().UTC()}
	end := time.Now().Add(measured)
	if err := work(ctx); err != nil {
		return w, err
	}
	err := sleep(ctx, time.Until(end))
	w.End = time.Now().UTC()
	return w, err
}
