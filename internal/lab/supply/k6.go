package supply

import "github.com/cnibench/cnibench/internal/lab/supply/gobuild"

// k6Part is the image of load pods once more, with k6 in it. It takes the
// place of the base's, so that the same pods carry every load. k6 is ten times
// the size of everything else that is ours in the image and takes minutes to
// build, hence on demand.
func k6Part() part {
	program := gobuild.K6()
	return part{
		name: K6, program: program, bases: []string{stepDebian, stepPrograms},
		images: func() []imageRecipe {
			r := toolsRecipe()
			r.Added = []imageFile{{Path: "usr/bin/k6", Mode: 0o755, Step: program.Name, From: program.Output, Module: program.Release}}
			return []imageRecipe{r}
		},
		duration: "about 2 minutes on two cores and 1 GB",
	}
}
