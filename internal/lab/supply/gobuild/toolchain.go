package gobuild

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/lab/supply/advice"
	"github.com/cnibench/cnibench/internal/lab/supply/command"
)

// Toolchain is the user's go command and where it keeps things.
type Toolchain struct {
	Path       string // of the go command
	Version    string // "go1.26.0"
	Cache      string // GOCACHE
	Modules    string // GOMODCACHE
	selectable bool   // it may fetch a newer toolchain by itself (GOTOOLCHAIN)
}

// usual are places where go lies when it is not on PATH; sudo, for one, sets a
// PATH without them.
var usual = []string{"/usr/local/go/bin/go", "/usr/lib/go/bin/go", "/snap/bin/go"}

const installGo = "install Go from https://go.dev/dl/ or your distribution, or put it on PATH (sudo resets PATH: try sudo env PATH=\"$PATH\" cnibench …)"

// FindToolchain looks for the go command on PATH and in the usual places.
func FindToolchain(ctx context.Context) (Toolchain, error) {
	goPath, err := exec.LookPath("go")
	for i := 0; err != nil && i < len(usual); i++ {
		goPath, err = exec.LookPath(usual[i])
	}
	if err != nil {
		return Toolchain{}, advice.Wrap(errors.New("the go command was not found; the lab builds Kubernetes from its Go modules"), installGo)
	}
	var out strings.Builder
	query := command.Command{
		Path: goPath, Args: []string{"env", "-json", "GOVERSION", "GOCACHE", "GOMODCACHE", "GOTOOLCHAIN"},
		Dir: "/", Env: environment(""),
	}
	if err := query.Run(ctx, command.Output{Stdout: func(line string) { out.WriteString(line) }}); err != nil {
		return Toolchain{}, advice.Wrap(fmt.Errorf("asking go for its settings: %w", err), "set HOME, or GOCACHE and GOMODCACHE")
	}
	var env struct{ GOVERSION, GOCACHE, GOMODCACHE, GOTOOLCHAIN string }
	if err := json.Unmarshal([]byte(out.String()), &env); err != nil {
		return Toolchain{}, fmt.Errorf("reading the settings of go: %w", err)
	}
	return Toolchain{
		Path: goPath, Version: env.GOVERSION, Cache: env.GOCACHE, Modules: env.GOMODCACHE,
		selectable: env.GOTOOLCHAIN == "auto" || strings.HasSuffix(env.GOTOOLCHAIN, "+auto"),
	}, nil
}

// Check fails when the toolchain is too old for a program and may not fetch a
// newer one.
func (t Toolchain) Check(p Program) error {
	pin, err := p.Pin()
	if err != nil {
		return err
	}
	// "go1.26.1 X:experiment" and distribution suffixes end at the first blank
	// or dash.
	have, _, _ := strings.Cut(t.Version, " ")
	have, _, _ = strings.Cut(have, "-")
	if t.selectable || version.Compare(have, "go"+pin.Go) >= 0 {
		return nil
	}
	return advice.Wrap(fmt.Errorf("%s %s needs Go %s, and %s is %s", p.Name, pin.Version, pin.Go, t.Path, t.Version),
		"install a newer Go from https://go.dev/dl/, or set GOTOOLCHAIN=auto to let go fetch one")
}

// environment is the caller's, without settings that would change what is
// built. GOFLAGS gets a harmless value because an empty one would let
// the file of "go env -w" speak. Module proxy, checksum database and toolchain
// choice stay the user's.
func environment(temp string) []string {
	set := map[string]string{
		"GOFLAGS": "-mod=readonly", "GOWORK": "off", "GO111MODULE": "on", "CGO_ENABLED": "0",
		"GOOS": runtime.GOOS, "GOARCH": runtime.GOARCH, "GOEXPERIMENT": "",
	}
	if temp != "" {
		set["GOTMPDIR"] = temp // an interrupted go leaves its files with ours
	}
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		_, ok := set[name]
		return ok
	})
	for name, value := range set {
		env = append(env, name+"="+value)
	}
	return env
}

// goCommand is one run of go in a module.
func (t Toolchain) goCommand(module string, args ...string) command.Command {
	return command.Command{Path: t.Path, Args: args, Dir: module, Env: environment(filepath.Join(module, tempName))}
}

// tempName is where go keeps temporary files, below the module. Its underscore
// hides it from package patterns.
const tempName = "_tmp"
