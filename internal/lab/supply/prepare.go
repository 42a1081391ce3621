package supply

import (
	"context"
	"fmt"
	"strings"

	"github.com/cnibench/cnibench/internal/lab/supply/advice"
	"github.com/cnibench/cnibench/internal/lab/supply/debian"
	"github.com/cnibench/cnibench/internal/lab/supply/gobuild"
)

// debianSpace is what downloading, unpacking and composing takes, in bytes.
const debianSpace = 3 << 28

// prepare checks, before anything is built, that the machine has what the
// missing steps need.
func (p *plan) prepare(ctx context.Context, missing []step) error {
	var demands []demand
	for _, s := range missing {
		if s.name == stepDebian || strings.HasPrefix(s.name, stepDebian+"-") {
			if programs := debian.Missing(); len(programs) > 0 {
				return advice.Wrap(fmt.Errorf("%s: not found; a lab node's programs come from Debian packages", strings.Join(programs, ", ")),
					"run the lab on Debian or Ubuntu")
			}
			demands = append(demands, demand{p.store.dir, debianSpace})
		}
		program, ok := p.program(s.name)
		if !ok {
			continue
		}
		if p.toolchain.Path == "" {
			var err error
			if p.toolchain, err = gobuild.FindToolchain(ctx); err != nil {
				return err
			}
		}
		if err := p.toolchain.Check(program); err != nil {
			return err
		}
		demands = append(demands, demand{p.store.dir, program.Space.Result},
			demand{p.toolchain.Cache, program.Space.Cache}, demand{p.toolchain.Modules, program.Space.Modules})
	}
	return checkSpace(demands)
}

// program finds the program that a step builds.
func (p *plan) program(step string) (gobuild.Program, bool) {
	programs := []gobuild.Program{p.kubernetes, p.flanneld, p.flannelCNI}
	for _, part := range p.parts {
		programs = append(programs, part.programs()...)
	}
	for _, program := range programs {
		if program.Name == step {
			return program, true
		}
	}
	return gobuild.Program{}, false
}
