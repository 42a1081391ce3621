package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/doctor"
	"github.com/cnibench/cnibench/internal/doctor/examination"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/stage"
)

// doctorOptions say what is looked at and how it is told.
type doctorOptions struct {
	sources
	kubeconfig, context string
	lab                 string
	machine, deep       bool
	image, format       string
}

const wherever = "give exactly one of -f CAMPAIGN, --lab NAME, --kubeconfig FILE (with --context NAME) or --machine"

func newDoctor(s streams) *cobra.Command {
	o := doctorOptions{sources: sources{preset: preset{scale: 1}}} // presets have no cluster of anybody
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "say whether a cluster, a lab or this machine is fit to be measured",
		Long: `doctor looks at a cluster before it is measured: the machines, the network
between them, the plugin and what else runs. Each finding says what was seen,
why it matters and what mends it. What could not be found out is unknown, and
never fine.

It starts load pods and a Service in the namespace cnibench, and node agents
where the cluster is no lab, and takes them away again. With --deep it also
loads the network between the nodes for a minute, to find clouds that slow down
after a burst.

With -f it looks at what the campaign names, and knows what the campaign needs.
docs/doctor.md lists all checks.

Exit status: 0 not unfit, with or without warnings; 1 it could not look; 2 usage;
5 unfit; 130 interrupted.`,
		Example: `  cnibench doctor --machine
  cnibench doctor --lab a
  cnibench doctor -f campaign.yaml --deep
  cnibench doctor --kubeconfig ~/.kube/config --context staging --format json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), s) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.file, "file", "f", "", "campaign file: look at its cluster, or at this machine if it runs on labs")
	f.StringVar(&o.catalog, "catalog", "", catalogUsage)
	f.StringVar(&o.scenarios, "scenarios", "", scenariosUsage)
	f.StringVar(&o.lab, "lab", "", "look at this lab")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "look at the cluster of this file")
	f.StringVar(&o.context, "context", "", "context of the kubeconfig (default: its current one)")
	f.BoolVar(&o.machine, "machine", false, "look at this machine, on which labs are to run")
	f.StringVar(&o.image, "image", "", "image with cnibench's tools (default "+cluster.ToolsImage+")")
	f.BoolVar(&o.deep, "deep", false, "load the network between the nodes for a minute, too")
	f.StringVar(&o.format, "format", "text", "text, json or md")
	return cmd
}

func (o doctorOptions) run(ctx context.Context, s streams) error {
	places := 0
	for _, given := range []bool{o.file != "", o.lab != "", o.kubeconfig != "" || o.context != "", o.machine} {
		if given {
			places++
		}
	}
	switch {
	case places == 0:
		return usage(errors.New("no place to look was given"), wherever)
	case places > 1:
		return usage(errors.New("more than one place was given"), wherever)
	case !slices.Contains([]string{"text", "json", "md"}, o.format):
		return usage(fmt.Errorf("there is no format %q", o.format), "give --format text, json or md")
	case o.deep && o.machine:
		return usage(errors.New("--deep loads the network between nodes, and a machine has none"), "leave --deep out, or look at a lab or a cluster")
	case o.image != "" && (o.lab != "" || o.machine):
		return usage(errors.New("--image is for clusters: labs have their own"), "leave --image out")
	}
	p := newProgress(s.err, false)
	defer p.close()
	snapshot, err := o.look(ctx, p)
	p.close()
	if err != nil {
		return err
	}
	return o.tell(s, doctor.Judge(snapshot))
}

// tell prints the report; an unfit place is the exit status.
func (o doctorOptions) tell(s streams, r doctor.Report) error {
	write := doctor.Text
	switch o.format {
	case "json":
		write = doctor.JSON
	case "md":
		write = doctor.Markdown
	}
	if err := write(s.out, r); err != nil {
		return err
	}
	if r.Fit {
		return nil
	}
	var checks []string
	for _, f := range r.Findings {
		if f.Severity == doctor.Unfit && !slices.Contains(checks, f.Check) {
			checks = append(checks, f.Check)
		}
	}
	return &exitError{exitUnfit, fmt.Errorf("%s is not fit to be measured: %s", r.Place, strings.Join(checks, ", ")), "each finding above says what mends it; docs/doctor.md explains the checks"}
}

// look takes the snapshot of what is meant.
func (o doctorOptions) look(ctx context.Context, p *progress) (doctor.Snapshot, error) {
	catalog, _, err := loadCatalog(o.catalog)
	if err != nil {
		return doctor.Snapshot{}, err
	}
	e := examination.Options{Catalog: catalog, Kind: doctor.Cluster, Deep: o.deep, Report: p.steps("doctor")}
	options := cluster.Options{Kubeconfig: o.kubeconfig, Context: o.context, ToolsImage: o.image}
	switch {
	case o.machine:
		return examination.Here(ctx, "this machine")
	case o.lab != "":
		return o.lookAtLab(ctx, e)
	case o.file != "":
		d, err := o.read()
		if err != nil {
			return doctor.Snapshot{}, err
		}
		e.Profile = profileOf(d.plan)
		switch c := d.plan.Cluster; {
		case c.Command != nil:
			return doctor.Snapshot{}, usage(errors.New("the campaign makes its clusters by commands, and there is none yet"), "make one, and give its file with --kubeconfig")
		case c.Existing == nil:
			return examination.Here(ctx, "this machine")
		default:
			if options, err = existingOptions(d.plan, o.image); err != nil {
				return doctor.Snapshot{}, err
			}
			e.AllowForeign = c.Existing.AllowForeign
		}
	}
	return lookAtCluster(ctx, e, options, p)
}

// existingOptions are those of a campaign's cluster.
func existingOptions(p plan.Plan, image string) (cluster.Options, error) {
	e := p.Cluster.Existing
	kubeconfig, err := atHome(e.Kubeconfig)
	if image == "" {
		image = p.Tools.Image
	}
	return cluster.Options{Kubeconfig: kubeconfig, Context: e.Context, Nodes: cluster.NodeRule(e.Nodes), ToolsImage: image}, err
}

func (o doctorOptions) lookAtLab(ctx context.Context, e examination.Options) (doctor.Snapshot, error) {
	l, err := openLab(o.lab)
	if err != nil {
		return doctor.Snapshot{}, err
	}
	if err := awake(l); err != nil {
		return doctor.Snapshot{}, err
	}
	e.Kind, e.Place = doctor.Lab, "lab "+l.Name()
	if e.Cluster, err = cluster.FromLab(l); err != nil {
		return doctor.Snapshot{}, err
	}
	return examination.Take(ctx, e)
}

// lookAtCluster looks at a cluster that somebody else runs. Whether others' pods
// are in the way is a finding, and no reason not to look.
func lookAtCluster(ctx context.Context, e examination.Options, o cluster.Options, p *progress) (doctor.Snapshot, error) {
	namespaces, err := pluginNamespaces(e.Catalog)
	if err != nil {
		return doctor.Snapshot{}, err
	}
	o.PluginNamespaces, o.AllowForeign, o.Report = namespaces, true, p.steps("cluster")
	if e.Cluster, err = cluster.OpenExisting(ctx, o); err != nil {
		return doctor.Snapshot{}, err
	}
	e.Place = "the cluster of " + firstText(o.Kubeconfig, "the default kubeconfig")
	if o.Context != "" {
		e.Place += ", context " + o.Context
	}
	snapshot, err := examination.Take(ctx, e)
	return snapshot, errors.Join(err, e.Cluster.Remove())
}

func firstText(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// profileOf says what a plan needs of a cluster, by its scenarios and their
// parameters.
func profileOf(p plan.Plan) doctor.Profile {
	profile := doctor.Profile{Given: true}
	for _, c := range p.Cells {
		words := append(slices.Collect(maps.Values(c.Parameters)), c.Scenario)
		has := func(parts ...string) bool {
			return slices.ContainsFunc(words, func(w string) bool {
				return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(w, part) })
			})
		}
		profile.Services = profile.Services || has("service", stage.ClusterIP, stage.NodePort)
		profile.DNS = profile.DNS || has("dns", stage.ServiceName, stage.Headless)
		profile.Policies = profile.Policies || has("policy")
	}
	return profile
}
