// Package vm tests labs on a stock kernel: it boots Debian's own under QEMU
// emulation, with cgroup v2, loadable modules and all capabilities, and runs
// the built program there. No disk image, no network and nothing installed on
// the machine: kernel, QEMU and the guest's programs are files of Debian
// packages in the cache, and the guest reads them, the lab's supply and the
// program over 9p. It is for function, never for speed.
//
// This package's ordinary files are what computes; the tests, and what starts
// processes for them, have the build tag vm. `make test-vm` runs them.
package vm
