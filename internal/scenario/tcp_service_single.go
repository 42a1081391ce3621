package scenario

func init() {
	register(tcpScenario("tcp-service-single", "sts", "one TCP stream, pod to a Service", ClusterIP, oneStream))
}
