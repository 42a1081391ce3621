package scenario

import "github.com/cnibench/cnibench/internal/stage"

func init() {
	register(udpOverload("udp-service-multi", "sum", "several UDP streams, overloaded, pod to a Service", stage.ClusterIP, streams))
}
