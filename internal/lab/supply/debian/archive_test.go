package debian

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseSimulated(t *testing.T) {
	tests := []struct {
		line string
		want Archive
		ok   bool
		bad  bool
	}{
		{
			line: "Inst libc6 (2.36-9+deb12u14 Debian:12.15/stable [amd64]) []",
			want: Archive{Name: "libc6", Version: "2.36-9+deb12u14", Architecture: "amd64"}, ok: true,
		},
		{
			line: "Inst runc (1.1.5+ds1-1+deb12u1 Debian:12.15/stable, Debian-Security:12/stable-security [arm64])",
			want: Archive{Name: "runc", Version: "1.1.5+ds1-1+deb12u1", Architecture: "arm64"}, ok: true,
		},
		{
			line: "Inst bash [5.1] (1:5.2 Ubuntu:24.04/noble [amd64])",
			want: Archive{Name: "bash", Version: "1:5.2", Architecture: "amd64"}, ok: true,
		},
		{line: "Conf libc6 (2.36-9+deb12u14 Debian:12.15/stable [amd64])"},
		{line: "Reading package lists..."},
		{line: "Inst libc6", bad: true},
	}
	for _, test := range tests {
		got, ok, err := parseSimulated(test.line)
		if diff := cmp.Diff(test.want, got); diff != "" || ok != test.ok || (err != nil) != test.bad {
			t.Errorf("%q: ok %v, error %v\n%s", test.line, ok, err, diff)
		}
	}
}

func FuzzParseSimulated(f *testing.F) {
	f.Add("Inst libc6 (2.36-9+deb12u14 Debian:12.15/stable [amd64]) []")
	f.Add("Inst x ( [])")
	f.Fuzz(func(t *testing.T, line string) {
		a, ok, err := parseSimulated(line)
		if ok && (err != nil || a.Name == "" && !strings.Contains(line, " :") || a.Version == "" || a.Architecture == "") {
			t.Errorf("%q gave the incomplete %+v (%v)", line, a, err)
		}
		if strings.ContainsAny(a.fileName(), "/ ") && !strings.Contains(line, "/") {
			t.Errorf("%q names the file %q", line, a.fileName())
		}
	})
}

func TestParseGet(t *testing.T) {
	line := "Get:79 http://mirror.example/debian bookworm/main amd64 nftables amd64 1.0.6-2+deb12u2 [70.3 kB]"
	if name, ok := parseGet(line); !ok || name != "nftables" {
		t.Errorf("read %q, %v", name, ok)
	}
	if name, ok := parseGet("Get:4 http://mirror.example/debian bookworm/main amd64 Packages [8790 kB]"); ok {
		t.Errorf("a package list was taken for the package %q", name)
	}
}

func TestFileName(t *testing.T) {
	a := Archive{Name: "busybox-static", Version: "1:1.35.0-4+deb12u1+b1", Architecture: "amd64"}
	if got := a.fileName(); got != "busybox-static_1%3a1.35.0-4+deb12u1+b1_amd64.deb" {
		t.Errorf("file name is %q", got)
	}
}

func TestStanzas(t *testing.T) {
	show := "Package: runc\nVersion: 1.1.5\nDescription: a runtime\nSHA256: aa\n\nPackage: iperf3\nSHA256: bb\nVersion: 3.12\n"
	var got []stanza
	var s stanza
	for line := range strings.Lines(show) {
		if s.read(strings.TrimSuffix(line, "\n")) {
			got = append(got, s)
		}
	}
	want := []stanza{{"runc", "1.1.5", "aa"}, {"iperf3", "3.12", "bb"}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(stanza{})); diff != "" {
		t.Error(diff)
	}
}

func FuzzStanza(f *testing.F) {
	f.Add("Package: runc\nVersion: 1.1.5\nSHA256: aa\n")
	f.Fuzz(func(t *testing.T, show string) {
		var s stanza
		for line := range strings.Lines(show) {
			if s.read(line) && (s.name == "" || s.version == "" || s.sha256 == "") {
				t.Errorf("%q completed %+v", show, s)
			}
		}
	})
}

// TestDamagedArchives: what a crash cut short is dropped, what differs after
// the download is an error.
func TestDamagedArchives(t *testing.T) {
	const sumOfData = "3a6eb0790f39ac87c94f3856b2dd2c5d110e6811602261a9a923d3bb23adc8b7" // SHA-256 of "data"
	dir := t.TempDir()
	file := func(name, content string) Archive {
		a := Archive{Name: name, Version: "1", SHA256: sumOfData, File: filepath.Join(dir, name)}
		if err := os.WriteFile(a.File, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return a
	}
	archives := []Archive{file("good", "data"), file("cut", "da"), {Name: "absent", File: filepath.Join(dir, "absent")}}
	if err := dropDamaged(archives); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(archives[0].File); err != nil {
		t.Error("a good archive was dropped")
	}
	if _, err := os.Stat(archives[1].File); err == nil {
		t.Error("a damaged archive was kept")
	}
	if err := verify([]Archive{file("changed", "other")}); err == nil || !strings.Contains(err.Error(), sumOfData) {
		t.Errorf("a changed archive gave %v", err)
	}
}
