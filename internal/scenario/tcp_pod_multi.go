package scenario

func init() {
	register(tcpScenario("tcp-pod-multi", "several TCP streams, pod to pod", 8, toPod, "streams"))
}
