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
)

// cniMemoryMax is what a memory limit would have to allow.
var cniMemoryMax = result.Metric{Name: "cni-memory-max", Unit: "bytes", Better: result.Lower, Scale: result.Difference, Margin: 10 << 20,
	Help: "largest working set of the plugin's own pods; of several machines the sum of each one's largest"}

var resourceMetrics = []result.Metric{cniCPU, cniMemory, cniMemoryMax, cpu, memory}

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
		Parameters: []parameter.Parameter{resourceLoad, duration, omit, serviceCount, placement},
		Run:        measureCNIResources,
	})
}

func measureCNIResources(ctx context.Context, b *Bench, cell plan.Cell) (Measurement, error) {
	var seen *machines
	inner := *b
	inner.observe = func(ms machines) { seen = &ms }
	load := cell.Parameters.Text(resourceLoad.Name)
	var m Measurement
	var err error
	if load == loadServices {
		m, err = inner.measureServices(ctx, cell.Parameters)
	} else {
		m, err = inner.measureAs(ctx, load, cell)
	}
	if err != nil {
		return Measurement{}, err
	}
	return b.onlyResources(m, seen)
}

// measureAs runs another scenario with the cell's parameters where it takes
// them, and its own defaults otherwise.
func (b *Bench) measureAs(ctx context.Context, name string, cell plan.Cell) (Measurement, error) {
	other, err := Find(name)
	if err != nil {
		return Measurement{}, err
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
		return Measurement{}, fmt.Errorf("load %s: %w", name, err)
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
func (b *Bench) onlyResources(m Measurement, seen *machines) (Measurement, error) {
	if seen == nil {
		return Measurement{}, fmt.Errorf("the load has sampled nothing")
	}
	m.Values = slices.DeleteFunc(m.Values, func(v result.Value) bool { return !isResource(v.Metric) })
	m.Marks = slices.DeleteFunc(m.Marks, func(k result.Mark) bool { return k.Name != markSaturated })
	maps.DeleteFunc(m.Missing, func(name, _ string) bool { return !isResource(result.Metric{Name: name}) })
	m.follow(b.largestMemory(*seen))
	return m, nil
}

// largestMemory is the plugin's; without pods of its own that is a true zero.
func (b *Bench) largestMemory(ms machines) figures {
	var f figures
	plugin, err := groupTotal(ms.summaries, groupCNI)
	switch unattributed := b.unattributed(); {
	case ms.unknown != "":
		f.lack(ms.unknown, cniMemoryMax)
	case unattributed != "":
		f.lack(unattributed, cniMemoryMax)
	case len(b.Entry.Agents) == 0:
		f.add(cniMemoryMax, 0)
	case err != nil:
		f.lack(err.Error(), cniMemoryMax)
	default:
		f.add(cniMemoryMax, plugin.WorkingSet.Max)
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
