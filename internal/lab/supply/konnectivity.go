package supply

import "github.com/cnibench/cnibench/internal/lab/supply/gobuild"

// Names of Konnectivity's images, upstream's own.
const (
	KonnectivityServerImage = "registry.k8s.io/kas-network-proxy/proxy-server:v0.31.4"
	KonnectivityAgentImage  = "registry.k8s.io/kas-network-proxy/proxy-agent:v0.31.4"
)

// konnectivityPart is Konnectivity's two images, each with its program alone,
// as upstream's.
func konnectivityPart() part {
	program := gobuild.Konnectivity()
	return part{
		name: Konnectivity, program: program,
		images: func() []imageRecipe {
			return []imageRecipe{
				{
					Name: KonnectivityServerImage, Step: program.Name, Module: program.Release,
					Program: "proxy-server", File: "proxy-server", Entrypoint: []string{"/proxy-server"},
				},
				{
					Name: KonnectivityAgentImage, Step: program.Name, Module: program.Release,
					Program: "proxy-agent", File: "proxy-agent", Entrypoint: []string{"/proxy-agent"},
				},
			}
		},
		duration: "about 2 minutes on two cores and 1 GB",
	}
}
