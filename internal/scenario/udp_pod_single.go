package scenario

import "github.com/cnibench/cnibench/internal/stage"

func init() {
	register(udpOverload("udp-pod-single", "dus", "one UDP stream, overloaded, pod to pod", stage.PodIP, oneStream))
}
