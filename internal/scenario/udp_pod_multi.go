package scenario

func init() {
	register(udpOverload("udp-pod-multi", "dum", "several UDP streams, overloaded, pod to pod", PodIP, streams))
}
