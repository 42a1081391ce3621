package scenario

import "github.com/cnibench/cnibench/internal/stage"

func init() {
	register(tcpScenario("tcp-service-multi", "stm", "several TCP streams, pod to a Service", stage.ClusterIP, streams))
}
