package scenario

import "github.com/cnibench/cnibench/internal/stage"

func init() {
	register(tcpScenario("tcp-service-single", "sts", "one TCP stream, pod to a Service", stage.ClusterIP, oneStream))
}
