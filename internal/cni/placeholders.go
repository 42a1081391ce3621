package cni

import (
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"github.com/cnibench/cnibench/internal/cluster"
)

// fixedKey stands for ${randomKey} where bytes must be the same every time.
const fixedKey = "0000000000000000000000000000000000000000"

// placeholder matches ${name} and ${name-7}.
var placeholder = regexp.MustCompile(`\$\{([A-Za-z][A-Za-z0-9]*)(-[0-9]+)?\}`)

// places are what placeholders stand for; an empty one is not known.
type places struct {
	text map[string]string
	used map[string]bool
}

func placesOf(e Entry, site cluster.Site, key string) places {
	p := places{map[string]string{
		"podCIDR": site.PodCIDR, "podGateway": firstAddress(site.PodCIDR), "serviceCIDR": site.ServiceCIDR,
		"podCIDRv6": site.PodCIDRv6, "serviceCIDRv6": site.ServiceCIDRv6,
		"apiHost": site.APIHost, "apiPort": site.APIPort, "linkMTU": "", "uplink": site.Uplink,
		"controlPlaneIPs": strings.Join(site.ControlPlaneIPs, ","), "version": e.Version, "randomKey": key,
	}, map[string]bool{}}
	if site.LinkMTU > 0 {
		p.text["linkMTU"] = strconv.Itoa(site.LinkMTU)
	}
	for name, text := range e.With {
		p.text[name] = text
	}
	return p
}

// firstAddress is the address after that of a network.
func firstAddress(cidr string) string {
	prefix, err := netip.ParsePrefix(cidr)
	if err != nil {
		return ""
	}
	return prefix.Masked().Addr().Next().String()
}

// SiteError says that a variant needs something of the cluster that is not
// known.
type SiteError struct{ Variant, Placeholder string }

func (e *SiteError) Error() string {
	return fmt.Sprintf("%s needs ${%s} of the cluster, which is not known", e.Variant, e.Placeholder)
}

// expand replaces placeholders in a string. Others than ours stay: manifests
// hold shell scripts.
func (p places) expand(variant, s string) (string, error) {
	var failed error
	out := placeholder.ReplaceAllStringFunc(s, func(match string) string {
		parts := placeholder.FindStringSubmatch(match)
		name, minus := parts[1], parts[2]
		text, ours := p.text[name]
		if !ours {
			return match
		}
		p.used[name] = true
		if text == "" {
			failed = &SiteError{variant, name}
		}
		if minus != "" {
			text, failed = subtract(text, minus, failed)
		}
		return text
	})
	return out, failed
}

func subtract(text, minus string, failed error) (string, error) {
	n, err := strconv.Atoi(text)
	if failed != nil || err != nil {
		if failed == nil {
			failed = fmt.Errorf("${…%s}: %q is no number", minus, text)
		}
		return "", failed
	}
	less, err := strconv.Atoi(minus)
	return strconv.Itoa(n + less), err
}

// expandAny replaces placeholders in all strings of a value, in a copy of it.
func (p places) expandAny(variant string, v any) (any, error) {
	switch v := v.(type) {
	case string:
		return p.expand(variant, v)
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			expanded, err := p.expandAny(variant, value)
			if err != nil {
				return nil, err
			}
			out[key] = expanded
		}
		return out, nil
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			expanded, err := p.expandAny(variant, value)
			if err != nil {
				return nil, err
			}
			out[i] = expanded
		}
		return out, nil
	case float64:
		// Templates would print 1048576 as 1.048576e+06.
		if whole := int64(v); float64(whole) == v {
			return whole, nil
		}
	}
	return v, nil
}

// Expand replaces the placeholders in a command or name of the entry by what
// they stand for at a site. What is not known stays.
func (e Entry) Expand(s string, site cluster.Site) string {
	out, err := placesOf(e, site, fixedKey).expand(e.Name, s)
	if err != nil {
		return s
	}
	return out
}
