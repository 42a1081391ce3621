package rtt

// The programs are compiled by Debian's clang (package clang-19 or newer) and
// committed, so that nobody else needs it. CFLAGS leave the path out of the
// debugging sections, which hold the maps' types.
//
//go:generate go run github.com/cilium/ebpf/cmd/bpf2go -cc clang-19 -strip llvm-strip-19 -cflags "-O2 -g -Wall -Werror -fdebug-prefix-map=$PWD=. -fdebug-compilation-dir=." -go-package rtt -target bpfel,bpfeb -tags linux programs bpf/rtt.c
