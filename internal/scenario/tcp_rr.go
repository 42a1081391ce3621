package scenario

import (
	"github.com/cnibench/cnibench/internal/probe/pace"
	"github.com/cnibench/cnibench/internal/stage"
)

func init() {
	register(Scenario{
		Name:        "tcp-rr",
		Title:       "latency of requests over TCP connections that stay",
		Description: rrDescription + "A slow answer holds up those behind it on its connection, as TCP does; a connection that breaks fails the trial." + rrGeneratorDescription,
		Metrics:     rrMetrics,
		Parameters:  append(rrParameters(stage.AnyClient), rrGenerator),
		Misfit:      rrMisfit(pace.TCPRR),
		Run:         measureRRByGenerator(pace.TCPRR),
	})
}
