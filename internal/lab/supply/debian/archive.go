package debian

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/lab/supply/command"
)

// Archive is one downloaded package.
type Archive struct {
	Name         string
	Version      string
	Architecture string
	SHA256       string // from the signed package lists, in hex
	File         string // the .deb
}

// simulated is a line of apt-get --simulate:
// Inst libc6 (2.36-9+deb12u14 Debian:12.15/stable [amd64]) []
var simulated = regexp.MustCompile(`^Inst (\S+) (?:\[\S+\] )?\((\S+) [^()]*\[([^\]]+)\]\)`)

// parseSimulated reads one line of a simulated installation. Lines about other
// things are not ok; a line about an installation that it cannot read is an
// error.
func parseSimulated(line string) (Archive, bool, error) {
	if !strings.HasPrefix(line, "Inst ") {
		return Archive{}, false, nil
	}
	m := simulated.FindStringSubmatch(line)
	if m == nil {
		return Archive{}, false, fmt.Errorf("cannot read apt-get's line %q", line)
	}
	name, _, _ := strings.Cut(m[1], ":")
	return Archive{Name: name, Version: m[2], Architecture: m[3]}, true, nil
}

// got is a line of apt-get while it downloads:
// Get:79 http://mirror.example/debian bookworm/main amd64 nftables amd64 1.0.6-2+deb12u2 [70.3 kB]
var got = regexp.MustCompile(`^Get:\d+ \S+ \S+ \S+ (\S+) \S+ \S+ \[`)

// parseGet reads the package name from apt-get's line about a download.
func parseGet(line string) (string, bool) {
	m := got.FindStringSubmatch(line)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// fileName is where apt puts the archive (pkgAcqArchive in apt-pkg/acquire-item.cc):
// name_version_architecture.deb with these characters percent-encoded.
func (a Archive) fileName() string {
	quote := func(s, bad string) string {
		var b strings.Builder
		for _, c := range []byte(s) {
			if c <= 0x20 || c >= 0x7f || c == '%' || strings.IndexByte(bad, c) >= 0 {
				fmt.Fprintf(&b, "%%%02x", c)
			} else {
				b.WriteByte(c)
			}
		}
		return b.String()
	}
	return quote(a.Name, "_:") + "_" + quote(a.Version, "_:") + "_" + quote(a.Architecture, "_:.") + ".deb"
}

// describe fills in the checksums from the signed package lists.
func (a *Apt) describe(ctx context.Context, archives []Archive) error {
	args := []string{"show"}
	for _, archive := range archives {
		args = append(args, archive.Name+"="+archive.Version)
	}
	sums := map[string]string{}
	var stanza stanza
	err := a.command("apt-cache", args...).Run(ctx, command.Output{Stdout: func(line string) {
		if stanza.read(line) {
			sums[stanza.name+"="+stanza.version] = stanza.sha256
		}
	}})
	if err != nil {
		return fmt.Errorf("reading package checksums: %w", err)
	}
	for i := range archives {
		archives[i].SHA256 = sums[archives[i].Name+"="+archives[i].Version]
		if archives[i].SHA256 == "" {
			return fmt.Errorf("package lists have no SHA-256 of %s %s", archives[i].Name, archives[i].Version)
		}
	}
	return nil
}

// stanza collects the fields of one package in the output of apt-cache show.
type stanza struct{ name, version, sha256 string }

// read takes the next line and reports whether the stanza is complete with it.
func (s *stanza) read(line string) bool {
	key, value, ok := strings.Cut(line, ": ")
	if !ok {
		return false
	}
	switch key {
	case "Package":
		*s = stanza{name: value}
	case "Version":
		s.version = value
	case "SHA256":
		s.sha256 = strings.TrimSpace(value)
	default:
		return false
	}
	return s.name != "" && s.version != "" && s.sha256 != ""
}

// dropDamaged removes archives that a crash left incomplete, so that they are
// downloaded again.
func dropDamaged(archives []Archive) error {
	for _, archive := range archives {
		sum, err := fileSum(archive.File)
		if errors.Is(err, fs.ErrNotExist) || err == nil && sum == archive.SHA256 {
			continue
		}
		if err != nil {
			return fmt.Errorf("checking packages: %w", err)
		}
		if err := os.Remove(archive.File); err != nil {
			return fmt.Errorf("checking packages: %w", err)
		}
	}
	return nil
}

// verify compares every archive with the checksum of the signed lists.
func verify(archives []Archive) error {
	for _, archive := range archives {
		sum, err := fileSum(archive.File)
		if err != nil {
			return fmt.Errorf("checking packages: %w", err)
		}
		if sum != archive.SHA256 {
			return fmt.Errorf("package %s %s has SHA-256 %s, the signed lists say %s", archive.Name, archive.Version, sum, archive.SHA256)
		}
	}
	return nil
}

func fileSum(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // only read from
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func sortArchives(archives []Archive) {
	slices.SortFunc(archives, func(a, b Archive) int { return strings.Compare(a.Name, b.Name) })
}
