package scenario

func init() {
	register(udpOverload("udp-pod-single", "dus", "one UDP stream, overloaded, pod to pod", PodIP, oneStream))
}
