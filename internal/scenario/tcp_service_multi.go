package scenario

func init() {
	register(tcpScenario("tcp-service-multi", "several TCP streams, pod to a Service's cluster IP", streams, toService))
}
