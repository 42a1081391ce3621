package scenario

func init() {
	register(tcpScenario("tcp-pod-single", "one TCP stream, pod to pod", oneStream, toPod))
}
