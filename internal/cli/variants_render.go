package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/cni/charts"
)

type variantsRenderOptions struct {
	name, values, charts, catalog string
	site                          cluster.Site
}

func newVariantsRender(s streams) *cobra.Command {
	var o variantsRenderOptions
	cmd := &cobra.Command{
		Use:   "render NAME[@VERSION]",
		Short: "print the manifests of a variant",
		Long: `render prints on stdout what would be applied, and on stderr its digest, its
images, and hooks of the chart that are for other times. Charts come from
--charts, else from where the catalog says; they are kept, so that the next
rendering works offline.

Exit status: 0 printed, 1 it could not be rendered, 2 usage.`,
		Example: "  cnibench variants render cilium-kpr --api-host 10.0.0.1 --api-port 6443",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = args[0]
			return o.render(cmd.Context(), s)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.values, "values", "", "YAML file with values of your own")
	f.StringVar(&o.charts, "charts", "", "directory with charts: NAME, NAME-VERSION, each a directory or .tgz; and manifests")
	f.StringVar(&o.catalog, "catalog", "", catalogUsage)
	f.StringVar(&o.site.PodCIDR, "pod-cidr", "10.244.0.0/16", "the cluster's pod network")
	f.StringVar(&o.site.ServiceCIDR, "service-cidr", "10.96.0.0/16", "the cluster's Service network")
	f.StringVar(&o.site.APIHost, "api-host", "", "where nodes reach the API server without a Service")
	f.StringVar(&o.site.APIPort, "api-port", "6443", "its port")
	f.StringVar(&o.site.Uplink, "uplink", "", "the nodes' interface to each other")
	f.IntVar(&o.site.LinkMTU, "link-mtu", 0, "its MTU in bytes")
	f.StringSliceVar(&o.site.ControlPlaneIPs, "control-plane-ips", nil, "addresses of the control plane's nodes")
	f.StringVar(&o.site.KubeVersion, "kube-version", "", "the cluster's Kubernetes version; default: what Helm takes")
	return cmd
}

func (o variantsRenderOptions) render(ctx context.Context, s streams) error {
	catalog, _, err := loadCatalog(o.catalog)
	if err != nil {
		return err
	}
	values, err := readValues(o.values)
	if err != nil {
		return err
	}
	e, err := chooseEntry(catalog, o.name, values)
	if err != nil {
		return err
	}
	if e.None() {
		return usage(fmt.Errorf("%s installs nothing", e.Name), "it measures what is there")
	}
	cache, err := charts.DefaultCache()
	if err != nil {
		return err
	}
	from := charts.First{charts.Network{Cache: cache}}
	if o.charts != "" {
		from = charts.First{charts.Directory(o.charts), charts.Network{Cache: cache}}
	}
	m, err := e.Render(ctx, from, o.site)
	if err != nil {
		return failed(err, renderHint(err))
	}
	if _, err := s.out.Write(m.YAML); err != nil {
		return err
	}
	s.tell("digest  %s\n", m.Digest)
	for _, image := range m.Images {
		s.tell("image   %s\n", image)
	}
	for _, h := range m.Hooks {
		s.tell("hook    %s %s, not applied: %s\n", h.Kind, h.Name, strings.Join(h.Events, ", "))
	}
	return nil
}

// renderHint names the flag for what is not known of the cluster.
func renderHint(err error) string {
	var site *cni.SiteError
	if errors.As(err, &site) {
		flag := map[string]string{
			"podCIDR": "--pod-cidr", "podGateway": "--pod-cidr", "serviceCIDR": "--service-cidr", "apiHost": "--api-host", "apiPort": "--api-port",
			"uplink": "--uplink", "linkMTU": "--link-mtu", "controlPlaneIPs": "--control-plane-ips",
		}[site.Placeholder]
		if flag != "" {
			return "say it: " + flag
		}
	}
	var values *cni.ValuesError
	if errors.As(err, &values) && values.User {
		return "correct the file of --values"
	}
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) {
		return hinted.Hint()
	}
	return ""
}
