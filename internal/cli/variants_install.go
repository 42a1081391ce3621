package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/cni/charts"
	"github.com/cnibench/cnibench/internal/lab"
)

type variantsInstallOptions struct {
	clusterFlags
	name, values, charts, catalog, evidence string
	timeout                                 time.Duration
}

func newVariantsInstall(s streams) *cobra.Command {
	o := variantsInstallOptions{timeout: cni.ReadyTimeout}
	cmd := &cobra.Command{
		Use:   "install NAME[@VERSION]",
		Short: "install a variant in a cluster that has no network plugin",
		Long: `install renders a variant, applies it, and returns when its pods and all nodes
are ready. What it does is written into the cluster first (ConfigMap
cnibench-inventory in kube-system), so that ` + "`cnibench variants remove`" + ` can undo
it from any machine, also if it was interrupted. Pods that another plugin had
connected are restarted.

Exit status: 0 ready; 1 not installed or not ready (what its pods say is shown
and kept), 2 usage, 130 interrupted.`,
		Example: `  cnibench variants install flannel-host-gw --lab a
  cnibench variants install cilium-kpr@1.15.19 --kubeconfig ~/.kube/config --values mine.yaml`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = args[0]
			return o.run(cmd.Context(), s)
		},
	}
	f := cmd.Flags()
	o.define(f)
	f.StringVar(&o.values, "values", "", "YAML file with values that are added to the variant's")
	f.StringVar(&o.charts, "charts", "", "directory with Helm charts, tried first")
	f.StringVar(&o.catalog, "catalog", "", catalogUsage)
	f.DurationVar(&o.timeout, "timeout", o.timeout, "how long to wait until it is ready")
	f.StringVar(&o.evidence, "evidence", "", "directory for events and logs of a plugin that does not get ready (default cnibench-evidence/NAME)")
	return cmd
}

func (o variantsInstallOptions) run(ctx context.Context, s streams) error {
	catalog, _, err := loadCatalog(o.catalog)
	if err != nil {
		return err
	}
	entry, err := o.entry(catalog)
	if err != nil {
		return err
	}
	c, done, err := o.open(ctx, s, catalog)
	if err != nil {
		return err
	}
	return errors.Join(o.install(ctx, s, c, entry), done())
}

func (o variantsInstallOptions) entry(catalog cni.Catalog) (cni.Entry, error) {
	values, err := readValues(o.values)
	if err != nil {
		return cni.Entry{}, err
	}
	name, version, _ := strings.Cut(o.name, "@")
	e, err := catalog.Entry(name, cni.Choice{Version: version, Lab: o.lab != "", Values: values})
	if err != nil {
		return e, usage(err, "`cnibench variants list` shows the variants and their versions")
	}
	if e.None() {
		return e, usage(fmt.Errorf("%s installs nothing", e.Name), "it measures what the cluster has")
	}
	return e, nil
}

func readValues(file string) (map[string]any, error) {
	if file == "" {
		return nil, nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, usage(fmt.Errorf("reading values: %w", err), "--values takes a YAML file, as `helm --values` does")
	}
	var values map[string]any
	if err := yaml.Unmarshal(b, &values); err != nil {
		return nil, usage(fmt.Errorf("reading values %s: %w", file, err), "--values takes a YAML file, as `helm --values` does")
	}
	return values, nil
}

func (o variantsInstallOptions) install(ctx context.Context, s streams, c *cluster.Cluster, e cni.Entry) error {
	progress := newProgress(s.err, false)
	defer progress.close()
	if missing := cni.Missing(c, e); missing != "" {
		return failed(errors.New(missing), "`cnibench variants check` says what runs in this cluster")
	}
	from, err := o.source(ctx, progress, e)
	if err != nil {
		return err
	}
	manifests, err := e.Render(ctx, from, c.Site())
	if err != nil {
		return err
	}
	start := time.Now()
	options := cni.InstallOptions{Report: progress.steps(e.Name), Timeout: o.timeout, Evidence: o.evidence}
	if options.Evidence == "" {
		options.Evidence = filepath.Join("cnibench-evidence", e.Name+"-"+start.Format("20060102-150405"))
	}
	timeline, err := cni.Install(ctx, c, e, manifests, options)
	if err != nil {
		return err
	}
	defer timeline.Close()
	if _, err := timeline.AwaitAgents(); err != nil {
		return err
	}
	progress.close()
	s.tell("%s %s is ready after %.1f s\n", e.Name, e.Version, time.Since(start).Seconds())
	return nil
}

// source is where charts come from: the user's directory, in a lab its supply,
// the network.
func (o variantsInstallOptions) source(ctx context.Context, p *progress, e cni.Entry) (cni.ChartSource, error) {
	var sources charts.First
	if o.charts != "" {
		sources = append(sources, charts.Directory(o.charts))
	}
	if o.lab != "" {
		kit, err := lab.Supply(ctx, p.supply, e.Plugin.Name)
		if err != nil {
			return nil, err
		}
		return append(sources, charts.Kit(kit.Charts)), nil
	}
	cache, err := charts.DefaultCache()
	if err != nil {
		return nil, err
	}
	return append(sources, charts.Network{Cache: cache}), nil
}
