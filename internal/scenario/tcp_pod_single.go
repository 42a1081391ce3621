package scenario

import "github.com/cnibench/cnibench/internal/stage"

func init() {
	register(tcpScenario("tcp-pod-single", "dts", "one TCP stream, pod to pod", stage.PodIP, oneStream))
}
