package scenario

func init() {
	register(tcpScenario("tcp-pod-single", "dts", "one TCP stream, pod to pod", PodIP, oneStream))
}
