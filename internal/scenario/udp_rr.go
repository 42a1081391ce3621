package scenario

import (
	"github.com/cnibench/cnibench/internal/probe/pace"
	"github.com/cnibench/cnibench/internal/stage"
)

func init() {
	atLeast := requestSize
	atLeast.Min, atLeast.Max = "8", "65507"
	answers := responseSize
	answers.Min, answers.Max = "8", "65507"
	register(Scenario{
		Name:  "udp-rr",
		Title: "latency of requests over UDP",
		Description: rrDescription + "Nothing is sent twice: a lost datagram is a request without an answer. " +
			"Requests carry 8 bytes of number, by which answers are told apart." + rrGeneratorDescription,
		Metrics:    rrMetrics,
		Parameters: append(rrParameters(atLeast, answers, requestTimeout.With("1s"), stage.AnyClient), rrGenerator),
		Misfit:     rrMisfit(pace.UDPRR),
		Run:        measureRRByGenerator(pace.UDPRR),
	})
}
