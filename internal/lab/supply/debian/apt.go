package debian

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/lab/supply/advice"
	"github.com/cnibench/cnibench/internal/lab/supply/command"
	"github.com/cnibench/cnibench/internal/lab/supply/progress"
)

// Apt is apt-get with its own lists, status and archives below one directory.
// Sources, keys, proxies and preferences are the machine's (/etc/apt).
// Only one process may use a directory at a time: the caller locks.
type Apt struct {
	dir     string
	updated bool // the lists were fetched by this Apt
}

// settings holds what the private use changes. Lists that the machine's
// configuration fills with hooks are cleared, because hooks would act on the
// machine's own apt; signature checks cannot be switched off from outside.
const settings = `APT::Sandbox::User "root";
APT::Install-Recommends "false";
APT::Install-Suggests "false";
APT::Keep-Downloaded-Packages "true";
APT::Get::AllowUnauthenticated "false";
Acquire::AllowInsecureRepositories "false";
Acquire::Languages "none";
Acquire::GzipIndexes "false";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
Acquire::IndexTargets::deb::DEP-11-icons-small::DefaultEnabled "false";
Acquire::IndexTargets::deb::DEP-11-icons::DefaultEnabled "false";
Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
Acquire::Retries "3";
Debug::NoLocking "true";
Dir::Cache::archives "archives/";
Dir::Cache::pkgcache "pkgcache.bin";
Dir::Cache::srcpkgcache "srcpkgcache.bin";
Dir::State::lists "lists/";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Pre-Invoke;
#clear DPkg::Pre-Install-Pkgs;
#clear DPkg::Post-Invoke;
`

// freshness is how long fetched lists serve.
const freshness = 24 * time.Hour

// Missing names the programs this package needs and does not find.
func Missing() []string {
	var missing []string
	for _, name := range []string{"apt-get", "apt-cache", "dpkg-deb"} {
		if _, err := exec.LookPath(name); err != nil {
			missing = append(missing, name)
		}
	}
	return missing
}

// NewApt prepares the directory of a private apt.
func NewApt(dir string) (*Apt, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("preparing apt: %w", err)
	}
	for _, sub := range []string{"state/lists/partial", "cache/archives/partial"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return nil, fmt.Errorf("preparing apt: %w", err)
		}
	}
	for name, content := range map[string]string{"status": "", "apt.conf": settings} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			return nil, fmt.Errorf("preparing apt: %w", err)
		}
	}
	return &Apt{dir: dir}, nil
}

// command is one run of an apt program with the private settings.
func (a *Apt) command(program string, args ...string) command.Command {
	options := []string{
		"-c", filepath.Join(a.dir, "apt.conf"),
		"-o", "Dir::State=" + filepath.Join(a.dir, "state"),
		"-o", "Dir::State::status=" + filepath.Join(a.dir, "status"),
		"-o", "Dir::Cache=" + filepath.Join(a.dir, "cache"),
	}
	env := append(os.Environ(), "LC_ALL=C", "DEBIAN_FRONTEND=noninteractive")
	return command.Command{Path: program, Args: append(options, args...), Env: env}
}

// update fetches the package lists.
func (a *Apt) update(ctx context.Context, step *progress.Step) error {
	step.Say("fetching package lists", "")
	err := a.command("apt-get", "-o", "APT::Update::Error-Mode=any", "update").Run(ctx, command.Output{
		Stdout: func(line string) { step.Say("fetching package lists", strings.TrimSpace(line)) },
	})
	if err != nil {
		return advice.Wrap(fmt.Errorf("fetching package lists: %w", err),
			"check that \"apt-get update\" works on this machine; cnibench uses its sources, keys and proxy settings")
	}
	a.updated = true
	return os.WriteFile(a.stamp(), nil, 0o644)
}

func (a *Apt) stamp() string { return filepath.Join(a.dir, "updated") }

// stale reports whether the lists are too old to be used without asking.
func (a *Apt) stale() bool {
	info, err := os.Stat(a.stamp())
	return err != nil || time.Since(info.ModTime()) > freshness
}

// Fetch downloads the named packages with all they depend on and returns the
// verified archives, sorted by name. Lists older than a day are fetched anew,
// and so are lists that do not know a package or name files the mirror no
// longer has. Without a network, older lists and archives serve.
func (a *Apt) Fetch(ctx context.Context, names []string, step *progress.Step) ([]Archive, error) {
	var updateErr error // a broken source matters only if something is missing then
	if a.stale() {
		updateErr = a.update(ctx, step)
	}
	archives, err := a.fetch(ctx, names, step)
	if err == nil || ctx.Err() != nil {
		return archives, err
	}
	if updateErr == nil && !a.updated {
		if updateErr = a.update(ctx, step); updateErr == nil {
			return a.fetch(ctx, names, step)
		}
	}
	if updateErr != nil {
		err = errors.Join(err, updateErr)
	}
	return nil, err
}

// fetch is one attempt with the present lists.
func (a *Apt) fetch(ctx context.Context, names []string, step *progress.Step) ([]Archive, error) {
	step.Say("resolving packages", "")
	archives, err := a.simulate(ctx, names)
	if err != nil {
		return nil, err
	}
	step.Say("reading checksums", "")
	if err := a.describe(ctx, archives); err != nil {
		return nil, err
	}
	if err := dropDamaged(archives); err != nil {
		return nil, err
	}
	if err := a.download(ctx, names, archives, step); err != nil {
		return nil, err
	}
	return archives, verify(archives)
}

// simulate asks apt what it would install.
func (a *Apt) simulate(ctx context.Context, names []string) ([]Archive, error) {
	var archives []Archive
	var badLine error
	args := append([]string{"install", "--simulate", "--no-install-recommends"}, names...)
	err := a.command("apt-get", args...).Run(ctx, command.Output{Stdout: func(line string) {
		archive, ok, err := parseSimulated(line)
		if ok {
			archive.File = filepath.Join(a.dir, "cache/archives", archive.fileName())
			archives = append(archives, archive)
		}
		badLine = errors.Join(badLine, err)
	}})
	if err != nil {
		return nil, advice.Wrap(fmt.Errorf("resolving Debian packages: %w", err),
			"the lab needs a Debian or Ubuntu machine whose apt sources have these packages (on Ubuntu: main and universe)")
	}
	if badLine != nil {
		return nil, fmt.Errorf("resolving Debian packages: %w", badLine)
	}
	sortArchives(archives)
	return archives, nil
}

// download fetches the archives that are not there yet.
func (a *Apt) download(ctx context.Context, names []string, archives []Archive, step *progress.Step) error {
	present := 0
	for _, archive := range archives {
		if _, err := os.Stat(archive.File); err == nil {
			present++
		}
	}
	if present == len(archives) {
		return nil
	}
	step.Count("downloaded", present, len(archives), "packages", "")
	args := append([]string{"install", "--download-only", "--yes", "--no-install-recommends"}, names...)
	err := a.command("apt-get", args...).Run(ctx, command.Output{Stdout: func(line string) {
		if name, ok := parseGet(line); ok {
			present = min(present+1, len(archives))
			step.Count("downloaded", present, len(archives), "packages", name)
		}
	}})
	if err != nil {
		return advice.Wrap(fmt.Errorf("downloading Debian packages: %w", err),
			"check the network and the mirrors in /etc/apt; what is downloaded already is kept")
	}
	return nil
}
