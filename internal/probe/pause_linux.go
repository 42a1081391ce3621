package probe

import (
	"errors"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// Pause waits for SIGTERM or SIGINT. As pid 1 it also reaps the orphans that
// it inherits, as the main process of a container has to.
func Pause() {
	ends := make(chan os.Signal, 1)
	signal.Notify(ends, unix.SIGTERM, unix.SIGINT)
	defer signal.Stop(ends)
	orphans := make(chan os.Signal, 1)
	if os.Getpid() == 1 {
		signal.Notify(orphans, unix.SIGCHLD)
		defer signal.Stop(orphans)
		reapAll()
	}
	for {
		select {
		case <-ends:
			return
		case <-orphans:
			reapAll()
		}
	}
}

// reapOrphans lets a process that does something else reap, too, if it is pid 1
// and has no children of its own to wait for.
func reapOrphans() {
	if os.Getpid() != 1 {
		return
	}
	orphans := make(chan os.Signal, 1)
	signal.Notify(orphans, unix.SIGCHLD)
	go func() {
		for range orphans {
			reapAll()
		}
	}()
}

// reapAll collects every child that has ended.
func reapAll() {
	for {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
	}
}
