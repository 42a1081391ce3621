package supply

import "github.com/cnibench/cnibench/internal/lab/supply/gobuild"

// DNSImage is the image of a lab's DNS, under upstream's name.
const DNSImage = "docker.io/coredns/coredns:1.15.0"

// dnsPart is CoreDNS, in an image with nothing else, as upstream's.
func dnsPart() part {
	program := gobuild.CoreDNS()
	return part{
		name: DNS, program: program,
		images: func() []imageRecipe {
			return []imageRecipe{{
				Name: DNSImage, Step: program.Name, Module: program.Release,
				Program: "coredns", File: program.Output, Entrypoint: []string{"/coredns"},
			}}
		},
		duration: "about 2 minutes on two cores and 1 GB",
	}
}
