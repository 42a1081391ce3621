package run

import (
	"slices"

	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/lab/supply"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/scenario"
	"github.com/cnibench/cnibench/internal/stage"
)

// Features are the parts of the supply that a plan's scenarios need of labs,
// besides those of network plugins: supply.DNS, supply.K6, supply.OpenVPN,
// supply.Konnectivity, supply.FlannelUpgrade. All labs of a run are alike, whichever of the trials are pending.
func Features(p plan.Plan, all scenario.Set, catalog cni.Catalog) ([]string, error) {
	var dns, k6 bool
	tunnels, upgrade := map[string]bool{}, false
	for _, cell := range p.Cells {
		s, err := all.Find(cell.Scenario)
		if err != nil {
			return nil, err
		}
		dns = dns || s.Requires.DNS || byName(cell)
		k6 = k6 || s.Requires.HTTPLoad
		tunnels[tunnelOf(cell)] = true
		if to := scenario.UpgradesTo(cell); to != "" && !upgrade {
			if upgrade, err = upgradesFlannel(p.Variants, catalog, to); err != nil {
				return nil, err
			}
		}
	}
	var features []string
	if dns {
		features = append(features, supply.DNS)
	}
	if k6 {
		features = append(features, supply.K6)
	}
	for _, t := range []struct{ kind, part string }{{stage.OpenVPN, supply.OpenVPN}, {stage.Konnectivity, supply.Konnectivity}} {
		if tunnels[t.kind] {
			features = append(features, t.part)
		}
	}
	if upgrade {
		features = append(features, supply.FlannelUpgrade)
	}
	return features, nil
}

// upgradesFlannel tells whether a version is that of the supply's part for one
// of the variants, however it is written. A variant that does not have it is
// not upgraded.
func upgradesFlannel(variants []plan.Variant, catalog cni.Catalog, to string) (bool, error) {
	for _, v := range variants {
		entry, err := catalog.Entry(v.Entry, cni.Choice{Version: v.Version})
		if err != nil {
			return false, err
		}
		if entry.Plugin.Name != "flannel" {
			continue
		}
		if other, err := entry.In(to); err == nil && other.Is(supply.FlannelUpgradeVersion) {
			return true, nil
		}
	}
	return false, nil
}

// byName tells whether a cell's client finds its server by a name.
func byName(cell plan.Cell) bool {
	const path = "path"
	if across := stage.AcrossAddress.Name; cell.Parameters.Has(across) && cell.Parameters.Text(across) == stage.PeerName {
		return true
	}
	return cell.Parameters.Has(path) && slices.Contains([]string{stage.ServiceName, stage.Headless}, cell.Parameters.Text(path))
}

// tunnelOf is what lies between a cell's ends, if it has a parameter for that.
func tunnelOf(cell plan.Cell) string {
	const tunnel = "tunnel"
	if !cell.Parameters.Has(tunnel) {
		return stage.Direct
	}
	return cell.Parameters.Text(tunnel)
}
