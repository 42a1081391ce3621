package scenario

import "github.com/cnibench/cnibench/internal/stage"

func init() {
	register(udpOverload("udp-pod-multi", "dum", "several UDP streams, overloaded, pod to pod", stage.PodIP, streams))
}
