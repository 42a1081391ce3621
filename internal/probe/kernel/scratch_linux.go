package kernel

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// inScratch runs f in network and mount namespaces of its own, which end with
// it: the thread that is in them is never given back.
func inScratch(f func()) error {
	result := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() {
			// The main thread cannot end before the program does. While it is
			// held here, another goroutine gets another thread.
			result <- inScratch(f)
			runtime.UnlockOSThread()
			return
		}
		err := enterScratch()
		if err == nil {
			f()
		}
		result <- err
	}()
	return <-result
}

func enterScratch() error {
	if err := unix.Unshare(unix.CLONE_NEWNET | unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("making a network namespace: %w", err)
	}
	if err := unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("separating the mounts: %w", err)
	}
	return nil
}
