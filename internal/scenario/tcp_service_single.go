package scenario

func init() {
	register(tcpScenario("tcp-service-single", "one TCP stream, pod to a Service's cluster IP", oneStream, toService))
}
