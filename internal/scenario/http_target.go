package scenario

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/cnibench/cnibench/internal/campaign"
	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/stage"
)

var httpTargetName = parameter.Parameter{
	Name: "target", Kind: parameter.Text, Default: []string{campaign.NoTarget}, Word: "none or the name of a target in spec.targets",
	Help: "a server that is there already, by its name in spec.targets; none: our own in another pod",
}

// ownServer are the parameters of http that say what our own server is and how
// it is reached. Placement is none of them: it chooses the client's node, too.
var ownServer = []string{"services", stage.Path.Name, ingressClass.Name, stage.ServerEnd.Name, "body-size", "server-delay", "server-pause"}

// targetMisfit refuses what has no meaning for a server that is there already.
func targetMisfit(v parameter.Values) (problem, remedy string) {
	for _, p := range httpParameters {
		for _, own := range ownServer {
			if p.Name == own && v.Text(own) != p.Defaults()[0] {
				return fmt.Sprintf("target %s is a server that is there already, and %s is about one of our own", v.Text(httpTargetName.Name), own),
					"leave " + own + " out, or measure the two in scenarios of their own"
			}
		}
	}
	return "", ""
}

// measureTarget loads a server that is not ours. Of the pair that other trials
// share only the client has a part in it.
func measureTarget(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
	v := cell.Parameters
	pair, err := b.Stage.Pair(ctx, stage.EndsOf(v))
	if err != nil {
		return stage.Measurement{}, err
	}
	ran, series, err := runHTTP(ctx, b, pair, httpGoal{target: cell.Target}, v)
	if err != nil {
		return stage.Measurement{}, err
	}
	return evaluateHTTP(b, ran, series, v)
}

// askTarget adds to a load whom it goes to. Over TLS a server is told the name
// that it is asked for by the URL alone, so that a name of the user's goes there
// and leads to the address.
func askTarget(k6 *load.K6, t plan.Target) error {
	k6.Foreign, k6.Insecure = true, t.Insecure
	u, err := url.Parse(t.URL)
	switch {
	case err != nil:
		return fmt.Errorf("reading the URL of target %s: %w", t.Name, err)
	case t.Host == "":
	case u.Scheme != "https":
		k6.Host = t.Host
	default:
		address, err := netip.ParseAddr(u.Hostname())
		if err != nil {
			return errors.New("over TLS a target with a host needs an IP address in its URL")
		}
		k6.Hosts = map[string]string{strings.ToLower(t.Host): address.String()}
		port := u.Port()
		if u.Host = t.Host; port != "" {
			u.Host += ":" + port
		}
	}
	k6.Targets = []string{u.String()}
	return nil
}

// targetFacts say who was asked, and what answered.
func targetFacts(t plan.Target, seen load.K6Seen) map[string]string {
	facts := map[string]string{"target": t.Name, "url": t.URL}
	if t.Host != "" {
		facts["host"] = t.Host
	}
	if t.Insecure {
		facts["certificate"] = "not checked"
	}
	for name, text := range map[string]string{
		"statuses": load.Counts(seen.Statuses), "protocol": load.Counts(seen.Protocols), "remote address": strings.Join(seen.Remotes, ", "),
	} {
		if text != "" {
			facts[name] = text
		}
	}
	return facts
}
