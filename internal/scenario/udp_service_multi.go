package scenario

func init() {
	register(udpOverload("udp-service-multi", "sum", "several UDP streams, overloaded, pod to a Service", ClusterIP, streams))
}
