package scenario

import "github.com/cnibench/cnibench/internal/stage"

func init() {
	register(udpOverload("udp-service-single", "sus", "one UDP stream, overloaded, pod to a Service", stage.ClusterIP, oneStream))
}
