package scenario

func init() {
	register(tcpScenario("tcp-pod-multi", "several TCP streams, pod to pod", streams, toPod))
}
