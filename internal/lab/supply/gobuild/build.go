package gobuild

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/lab/supply/command"
	"github.com/cnibench/cnibench/internal/lab/supply/progress"
)

// workName is the directory in the result that holds the module while it is
// built.
const workName = "build"

// Build builds the program into dir, which must exist and be empty. On
// an error, which does not name the program, the caller removes dir.
func (t Toolchain) Build(ctx context.Context, p Program, dir string, step *progress.Step) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("preparing the build: %w", err)
	}
	pin, err := p.Pin()
	if err != nil {
		return err
	}
	module := filepath.Join(dir, workName)
	if err := p.write(module); err != nil {
		return fmt.Errorf("preparing the build: %w", err)
	}
	b := &build{program: p, toolchain: t, version: pin.Version, module: module, step: step}
	for _, stage := range []func(context.Context, string) error{b.takeMain, b.list, b.compile, b.copy} {
		if err := stage(ctx, dir); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return explain(err)
		}
	}
	if err := os.RemoveAll(module); err != nil {
		return fmt.Errorf("cleaning up: %w", err)
	}
	return p.link(dir)
}

// write puts the embedded module on disk.
func (p Program) write(module string) error {
	if err := os.MkdirAll(filepath.Join(module, tempName), 0o755); err != nil {
		return err
	}
	files, err := p.Files()
	if err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(module, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// link gives the program its other names.
func (p Program) link(dir string) error {
	target := filepath.Base(p.Output)
	for _, name := range p.Links {
		if err := os.Symlink(target, filepath.Join(dir, filepath.Dir(p.Output), name)); err != nil {
			return fmt.Errorf("linking %s: %w", name, err)
		}
	}
	return nil
}

// build is one build under way.
type build struct {
	program   Program
	toolchain Toolchain
	version   string
	module    string // directory with go.mod
	step      *progress.Step
	total     int // packages to compile
	fetched   int // modules downloaded
}

// takeMain gets main.go from upstream.
func (b *build) takeMain(ctx context.Context, _ string) error {
	up := b.program.Upstream
	if up == nil {
		return nil
	}
	b.step.Say("downloading", up.Module)
	dir, err := b.moduleDir(ctx, up.Module)
	if err != nil {
		return err
	}
	source, err := os.ReadFile(filepath.Join(dir, up.File))
	if err != nil {
		return err
	}
	source, err = dropImports(up.File, source, up.Drop)
	if err != nil {
		return fmt.Errorf("changing %s of %s %s: %w", up.File, up.Module, b.version, err)
	}
	return os.WriteFile(filepath.Join(b.module, "main.go"), source, 0o644)
}

// moduleDir downloads a required module, checks it against go.sum and says
// where it lies.
func (b *build) moduleDir(ctx context.Context, path string) (string, error) {
	var out strings.Builder
	err := b.run(ctx, func(line string) { out.WriteString(line) }, "mod", "download", "-json", path)
	var answer struct{ Dir, Error string }
	if jsonErr := json.Unmarshal([]byte(out.String()), &answer); jsonErr != nil && err == nil {
		err = fmt.Errorf("reading go's answer about %s: %w", path, jsonErr)
	}
	if answer.Error != "" {
		return "", &command.Failure{Command: "go mod download", Err: errors.New("failed"), Tail: []string{answer.Error}}
	}
	return answer.Dir, err
}

// list counts the packages and, on the way, downloads the modules.
func (b *build) list(ctx context.Context, _ string) error {
	b.step.Say("listing packages", "")
	args := append([]string{"list", "-deps", "-f", "{{.ImportPath}}"}, b.program.flags(b.version)...)
	return b.run(ctx, func(line string) {
		if line != "unsafe" { // the one package without code
			b.total++
		}
	}, append(args, b.packages()...)...)
}

// packages are the import paths of what is built.
func (b *build) packages() []string {
	var paths []string
	for _, t := range b.program.targets() {
		paths = append(paths, t.Package)
	}
	return paths
}

// compile runs go build and follows the names of the packages it compiles.
// Packages that are in Go's cache already are not named.
func (b *build) compile(ctx context.Context, dir string) error {
	// Go names several programs by itself, and one that it calls "." not at
	// all.
	output := filepath.Join(b.module, tempName, "program")
	if len(b.program.More) > 0 {
		output += "s/"
	}
	b.step.Say("looking into Go's build cache", "")
	args := append([]string{"build", "-v", "-o", output}, b.program.flags(b.version)...)
	if err := b.run(ctx, nil, append(args, b.packages()...)...); err != nil {
		return err
	}
	for _, t := range b.program.targets() {
		built := output
		if len(b.program.More) > 0 {
			built = filepath.Join(output, path.Base(t.Package))
		}
		place := filepath.Join(dir, t.Output)
		if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
			return err
		}
		if err := os.Rename(built, place); err != nil {
			return err
		}
	}
	return nil
}

// run runs go and reports what its standard error tells.
func (b *build) run(ctx context.Context, stdout func(string), args ...string) error {
	compiled := 0
	return b.toolchain.goCommand(b.module, args...).Run(ctx, command.Output{
		Stdout: stdout,
		Stderr: func(line string) {
			event := parseLine(line)
			switch event.kind {
			case downloading:
				b.fetched++
				b.step.Count("downloaded", b.fetched, 0, "modules", event.name)
			case compiling:
				compiled++
				if b.isLast(event.name) {
					b.step.Say("linking", "")
					return
				}
				b.step.Count("compiled", compiled, max(b.total, compiled), "packages", event.name)
			case message:
			}
		},
	})
}

// isLast says whether a package is a program itself, which is compiled when
// everything else of it is.
func (b *build) isLast(name string) bool {
	return slices.Contains(b.packages(), name) || strings.HasPrefix(name, "cnibench.io/lab/")
}

// copy takes directories and files from required modules.
func (b *build) copy(ctx context.Context, dir string) error {
	for _, c := range b.program.Copies {
		b.step.Say("copying", c.From)
		source, err := b.moduleDir(ctx, c.Module)
		if err != nil {
			return err
		}
		if err := copyPath(filepath.Join(dir, c.To), filepath.Join(source, c.From)); err != nil {
			return fmt.Errorf("copying %s of %s: %w", c.From, c.Module, err)
		}
	}
	return nil
}

// copyPath copies a directory or a file.
func copyPath(to, from string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, data, info.Mode().Perm()|0o200)
}
