package debian

import (
	"archive/tar"
	"debug/elf"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/cnibench/cnibench/internal/lab/supply/tree"
)

// elfHeader is what the dynamic loader reads of a file.
type elfHeader struct {
	needed      []string // DT_NEEDED
	paths       []string // DT_RPATH and DT_RUNPATH, split
	interpreter string   // PT_INTERP; only programs have one
}

// readELF returns nil for what is not a regular ELF file.
func readELF(e tree.Entry) (*elfHeader, error) {
	if e.Type != tar.TypeReg || e.File == "" || e.Size < int64(len(elf.ELFMAG)) {
		return nil, nil
	}
	file, err := os.Open(e.File)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read from
	magic := make([]byte, len(elf.ELFMAG))
	if _, err := io.ReadFull(file, magic); err != nil {
		return nil, err
	}
	if string(magic) != elf.ELFMAG {
		return nil, nil
	}
	f, err := elf.NewFile(file)
	if err != nil {
		return nil, err
	}
	return parseELF(f)
}

func parseELF(f *elf.File) (*elfHeader, error) {
	if f.Type != elf.ET_EXEC && f.Type != elf.ET_DYN {
		return nil, nil // object files, for example BPF programs
	}
	header := &elfHeader{}
	for _, prog := range f.Progs {
		if prog.Type == elf.PT_INTERP {
			text, err := io.ReadAll(prog.Open())
			if err != nil {
				return nil, err
			}
			header.interpreter = strings.TrimRight(string(text), "\x00")
		}
	}
	needed, err := f.ImportedLibraries()
	if err != nil {
		return nil, err
	}
	header.needed = needed
	for _, tag := range []elf.DynTag{elf.DT_RPATH, elf.DT_RUNPATH} {
		values, err := f.DynString(tag)
		if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
			return nil, err
		}
		for _, value := range values {
			header.paths = append(header.paths, strings.Split(value, ":")...)
		}
	}
	return header, nil
}
