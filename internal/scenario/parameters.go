package scenario

import "github.com/cnibench/cnibench/internal/parameter"

// Parameters that several scenarios take, with the defaults that most have. A
// scenario changes defaults by With.
var (
	duration = parameter.Parameter{
		Name: "duration", Kind: parameter.Duration, Default: []string{"10s"}, Min: "1s", Max: "1h", Step: "1s",
		Help: "what is measured, after the warm-up",
	}
	omit = parameter.Parameter{
		Name: "omit", Kind: parameter.Duration, Default: []string{"2s"}, Min: "0s", Max: "1m", Step: "1s",
		Help: "warm-up before that, not counted",
	}
	streams = parameter.Parameter{
		Name: "streams", Kind: parameter.Integer, Default: []string{"8"}, Min: "1", Max: "128",
		Help: "connections at once",
	}
	// oneStream is a constant: a scenario of one stream has it so that all
	// throughput scenarios are described alike.
	oneStream = parameter.Parameter{
		Name: "streams", Kind: parameter.Integer, Default: []string{"1"}, Min: "1", Max: "1", Help: "one connection",
	}
	placement = parameter.Parameter{
		Name: parameter.Placement, Kind: parameter.Choice, Default: []string{CrossNode}, Choices: []string{CrossNode, SameNode},
		Help: "where the two ends run",
	}
	direction = parameter.Parameter{
		Name: "direction", Kind: parameter.Choice, Default: []string{"forward"}, Choices: []string{"forward", "reverse", "bidir"},
		Help: "which end sends: the client, the server, or both",
	}
	clientEnd = parameter.Parameter{
		Name: "client", Kind: parameter.Choice, Default: []string{"pod"}, Choices: []string{"pod", "host"},
		Help: "whether the client runs in a pod's network or in its node's",
	}
	serverEnd = parameter.Parameter{
		Name: "server", Kind: parameter.Choice, Default: []string{"pod"}, Choices: []string{"pod", "host"},
		Help: "whether the server runs in a pod's network or in its node's",
	}
	path = parameter.Parameter{
		Name: "path", Kind: parameter.Choice, Default: []string{"pod-ip"},
		Choices: []string{"pod-ip", "cluster-ip", "service-name", "node-port", "headless"},
		Help:    "by which address the client reaches the server",
	}
)
