package cli

import (
	"errors"
	"fmt"

	"github.com/cnibench/cnibench/internal/campaign"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/scenario"
	"github.com/cnibench/cnibench/internal/stage"
)

// known is what a campaign may name: the catalog's variants and the scenarios.
func known(catalog cni.Catalog, own definitions, scenarios scenario.Set) (campaign.Known, error) {
	k := campaign.Known{CheckPodTemplate: stage.CheckPodTemplate}
	aliases := map[string][]string{}
	for _, alias := range sortedKeys(catalog.Aliases()) {
		name := catalog.Canonical(alias)
		aliases[name] = append(aliases[name], alias)
	}
	for _, name := range catalog.Names() {
		info, err := variantInfo(catalog, name)
		if err != nil {
			return k, err
		}
		info.Aliases, info.Definition = aliases[name], own[name]
		k.Variants = append(k.Variants, info)
	}
	for _, s := range scenarios.All() {
		k.Scenarios = append(k.Scenarios, s.Info())
	}
	return k, nil
}

func variantInfo(catalog cni.Catalog, name string) (campaign.VariantInfo, error) {
	entry, err := catalog.Entry(name, cni.Choice{})
	if err != nil {
		return campaign.VariantInfo{}, fmt.Errorf("reading the catalog: %w", err)
	}
	inLab, err := catalog.Entry(name, cni.Choice{Lab: true})
	if err != nil {
		return campaign.VariantInfo{}, fmt.Errorf("reading the catalog: %w", err)
	}
	info := campaign.VariantInfo{
		Name: name, None: entry.None(), Present: entry.Variant.Present, Chart: entry.Install.Chart != "",
		CarriesServices: entry.Services == "plugin", Excluded: entry.Plugin.Excluded, LabVersion: inLab.Version,
	}
	if entry.Version != "" {
		info.Versions = append(info.Versions, entry.Version)
	}
	for _, v := range entry.Plugin.Versions {
		_, err := catalog.Entry(name, cni.Choice{Version: v.Version})
		var unknown *cni.UnknownVersionError
		switch {
		case errors.As(err, &unknown): // the variant is not for all of the plugin's
		case err != nil:
			return info, fmt.Errorf("reading the catalog: %w", err)
		case v.Version != entry.Version:
			info.Versions = append(info.Versions, v.Version)
		}
	}
	return info, nil
}
