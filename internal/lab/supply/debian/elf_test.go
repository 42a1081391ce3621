package debian

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/lab/supply/tree"
)

// buildELF makes the smallest shared object that names libraries and, for a
// program, a loader: file header, program header, and the sections that
// package debug/elf reads.
func buildELF(interpreter, runpath string, needed ...string) []byte {
	const headerSize, progSize, sectionSize = 64, 56, 64
	names := []byte("\x00")
	var dynamic []elf.Dyn64
	add := func(tag elf.DynTag, name string) {
		dynamic = append(dynamic, elf.Dyn64{Tag: int64(tag), Val: uint64(len(names))})
		names = append(append(names, name...), 0)
	}
	for _, name := range needed {
		add(elf.DT_NEEDED, name)
	}
	if runpath != "" {
		add(elf.DT_RUNPATH, runpath)
	}
	dynamic = append(dynamic, elf.Dyn64{})
	loader := append([]byte(interpreter), 0)

	loaderAt := uint64(headerSize + progSize)
	namesAt := loaderAt + uint64(len(loader))
	dynamicAt := namesAt + uint64(len(names))
	sectionsAt := dynamicAt + uint64(16*len(dynamic))
	header := elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT),
		Phoff: headerSize, Shoff: sectionsAt, Ehsize: headerSize, Phentsize: progSize, Shentsize: sectionSize, Shnum: 3, Shstrndx: 1,
	}
	if interpreter != "" {
		header.Phnum = 1
	}
	prog := elf.Prog64{Type: uint32(elf.PT_INTERP), Off: loaderAt, Filesz: uint64(len(loader)), Memsz: uint64(len(loader))}
	sections := []elf.Section64{
		{},
		{Type: uint32(elf.SHT_STRTAB), Off: namesAt, Size: uint64(len(names))},
		{Type: uint32(elf.SHT_DYNAMIC), Off: dynamicAt, Size: uint64(16 * len(dynamic)), Link: 1, Entsize: 16},
	}
	var out bytes.Buffer
	for _, part := range []any{header, prog, loader, names, dynamic, sections} {
		_ = binary.Write(&out, binary.LittleEndian, part) // a bytes.Buffer takes all
	}
	return out.Bytes()
}

func parseBytes(data []byte) (*elfHeader, error) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return parseELF(f)
}

func TestParseELF(t *testing.T) {
	got, err := parseBytes(buildELF("/lib64/ld.so.2", "$ORIGIN/private:/opt/lib", "liba.so.1", "libc.so.6"))
	if err != nil {
		t.Fatal(err)
	}
	want := &elfHeader{
		needed: []string{"liba.so.1", "libc.so.6"}, paths: []string{"$ORIGIN/private", "/opt/lib"}, interpreter: "/lib64/ld.so.2",
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(elfHeader{})); diff != "" {
		t.Error(diff)
	}
}

func FuzzParseELF(f *testing.F) {
	f.Add(buildELF("/lib64/ld.so.2", "", "libc.so.6"))
	f.Add(buildELF("", "/x", "a"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = parseBytes(data) // any answer but a crash
	})
}

// entry puts content on disk as Unpack does.
func entry(t *testing.T, dir, name string, content []byte) tree.Entry {
	t.Helper()
	f, err := os.CreateTemp(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.Name(), content, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return tree.Entry{Path: tree.Merged(name), Type: '0', Mode: 0o755, Size: int64(len(content)), File: filepath.Join(f.Name())}
}
