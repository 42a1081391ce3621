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
	direction = parameter.Parameter{
		Name: "direction", Kind: parameter.Choice, Default: []string{"forward"}, Choices: []string{"forward", "reverse", "bidir"},
		Help: "which end sends: the client, the server, or both",
	}
)
