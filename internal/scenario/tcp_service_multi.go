package scenario

func init() {
	register(tcpScenario("tcp-service-multi", "stm", "several TCP streams, pod to a Service", ClusterIP, streams))
}
