package debian

import (
	"archive/tar"
	"fmt"
	"path"
	"slices"

	"github.com/cnibench/cnibench/internal/lab/supply/tree"
)

// implied are libraries that another library loads by name when it needs them,
// so that no ELF header tells: glibc loads libgcc_s for pthread_cancel and
// pthread_exit (pthread_cancel(3), sysdeps/nptl/unwind-resume).
var implied = map[string][]string{"libc.so.6": {"libgcc_s.so.1"}}

// Select composes a tree of the asked packages and, transitively, of those
// packages in the pool that provide the shared libraries their programs need.
// Other dependencies (scripting languages, package tools …) stay out. The
// archives of all packages used come back sorted by name.
func (p *Pool) Select(names []string) (*tree.Tree, []Archive, error) {
	providers := p.providers()
	out := tree.New()
	var used []Archive
	queue, asked := slices.Clone(names), map[string]bool{}
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		if asked[name] {
			continue
		}
		asked[name] = true
		u, ok := p.find(name)
		if !ok {
			return nil, nil, fmt.Errorf("package %s was not downloaded", name)
		}
		used = append(used, u.Archive)
		for _, e := range u.entries {
			if err := out.Add(e); err != nil {
				return nil, nil, fmt.Errorf("package %s: %w", name, err)
			}
			needed, err := neededLibraries(e)
			if err != nil {
				return nil, nil, fmt.Errorf("package %s: %s: %w", name, e.Path, err)
			}
			for _, library := range needed {
				if provider, ok := providers[library]; ok {
					queue = append(queue, provider)
				}
			}
		}
	}
	sortArchives(used)
	return out, used, nil
}

// providers maps each library file name in a default library directory to the
// package that has it.
func (p *Pool) providers() map[string]string {
	out := map[string]string{}
	for _, u := range p.packages {
		for _, e := range u.entries {
			if e.Type != tar.TypeDir && isLibrary(e.Path) {
				out[path.Base(e.Path)] = u.Name
			}
		}
	}
	return out
}

// neededLibraries reads the shared libraries an ELF file asks for; none for
// other files.
func neededLibraries(e tree.Entry) ([]string, error) {
	header, err := readELF(e)
	if header == nil || err != nil {
		return nil, err
	}
	out := slices.Clone(header.needed)
	for _, library := range header.needed {
		out = append(out, implied[library]...)
	}
	return out, nil
}
