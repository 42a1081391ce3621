package scenario

func init() {
	register(tcpScenario("tcp-pod-multi", "dtm", "several TCP streams, pod to pod", PodIP, streams))
}
