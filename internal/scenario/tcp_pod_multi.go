package scenario

import "github.com/cnibench/cnibench/internal/stage"

func init() {
	register(tcpScenario("tcp-pod-multi", "dtm", "several TCP streams, pod to pod", stage.PodIP, streams))
}
