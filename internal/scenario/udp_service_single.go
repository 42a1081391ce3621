package scenario

func init() {
	register(udpOverload("udp-service-single", "sus", "one UDP stream, overloaded, pod to a Service", ClusterIP, oneStream))
}
