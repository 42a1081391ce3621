package scenario

import "github.com/cnibench/cnibench/internal/result"

// Metrics of scenarios about policies. Times of an effect are differences:
// what acts at once takes no time.
var (
	policyApplied = result.Metric{Name: "policies-applied", Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: 0.10,
		Help: "from the first API call until the API has all policies"}
	policyConfirmed = result.Metric{Name: "policies-confirmed", Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: 0.10,
		Help: "from the first API call until the API has all policies and they are seen to act, as far as connections can show it"}
	policyCPU = result.Metric{Name: "policies-cni-cpu", Unit: "s", Better: result.Lower, Scale: result.Difference, Margin: 0.1,
		Help: "CPU time of the plugin's own pods in that time"}
	policyMemory = result.Metric{Name: "policies-cni-memory", Unit: "bytes", Better: result.Lower, Scale: result.Difference, Margin: 10 << 20,
		Help: "largest working set of the plugin's own pods in that time"}

	enforcementP50 = result.Metric{Name: "enforcement-p50", Unit: "s", Better: result.Lower, Scale: result.Difference, Margin: 0.05,
		Help: "median time until a policy acts; repeats without an effect count as longer than all others"}
	enforcementMean = result.Metric{Name: "enforcement-mean", Unit: "s", Better: result.Lower, Scale: result.Difference, Margin: 0.05,
		Help: "mean time until a policy acts"}
	enforcementMax = result.Metric{Name: "enforcement-max", Unit: "s", Better: result.Lower, Scale: result.Difference, Margin: 0.1,
		Help: "longest time until a policy acts"}
	timedOut = result.Metric{Name: "timed-out", Unit: "repeats", Better: result.Lower, Scale: result.Difference, Margin: 0.5,
		Help: "repeats in which a policy did not act within the limit"}
	leaks = result.Metric{Name: "leaks", Unit: "connections", Better: result.Lower, Scale: result.Difference, Margin: 0.5,
		Help: "connections that got through although a policy that denies them was in effect: before their pod existed, or once it had denied others"}

	featuresEnforced = result.Metric{Name: "features-enforced", Unit: "features", Better: result.Higher, Scale: result.Difference, Margin: 0.5,
		Help: "features of NetworkPolicies that are enforced, of those that were tried"}
)
