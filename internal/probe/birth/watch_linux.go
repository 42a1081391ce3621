package birth

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// watcher is told by the kernel what is made in directories.
type watcher struct {
	root     string
	inotify  *os.File
	register *register
	dirs     map[int32]watched // by watch descriptor
	lost     []string
}

// watched is a directory under watch.
type watched struct {
	path string // LogsDir, NetnsDir, ResultsDir, or a pod's directory of logs
	uid  string // of that pod
}

// Watch follows the pods of a namespace on the node that has its root directory
// at root, from before it calls ready until ctx ends, and returns what it saw.
func Watch(ctx context.Context, root string, spec Spec, ready func(Ready) error) (Report, error) {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return Report{}, fmt.Errorf("asking the kernel for events of files: %w", err)
	}
	w := &watcher{root: root, inotify: os.NewFile(uintptr(fd), "inotify"), register: newRegister(spec.Namespace), dirs: map[int32]watched{}}
	defer func() { _ = w.inotify.Close() }() // it is only read
	told := Ready{Absent: map[string]string{}}
	for dir, events := range map[string]uint32{LogsDir: unix.IN_CREATE, NetnsDir: unix.IN_CREATE, ResultsDir: unix.IN_CLOSE_WRITE} {
		if err := w.watch(watched{path: dir}, events); err != nil {
			told.Absent[dir] = err.Error()
		}
	}
	if err := ready(told); err != nil {
		return Report{}, err
	}
	ends := context.AfterFunc(ctx, func() { _ = w.inotify.SetReadDeadline(time.Now()) })
	defer ends()
	if err := w.follow(); err != nil {
		return Report{}, err
	}
	return Report{Births: w.register.report(), Lost: strings.Join(w.lost, "; ")}, nil
}

func (w *watcher) watch(dir watched, events uint32) error {
	conn, err := w.inotify.SyscallConn()
	if err != nil {
		return fmt.Errorf("watching %s: %w", dir.path, err)
	}
	var failed error
	err = conn.Control(func(fd uintptr) {
		var wd int
		if wd, failed = unix.InotifyAddWatch(int(fd), filepath.Join(w.root, dir.path), events|unix.IN_ONLYDIR); failed == nil {
			w.dirs[int32(wd)] = dir
		}
	})
	if err = errors.Join(err, failed); err != nil {
		return fmt.Errorf("watching %s: %w", dir.path, err)
	}
	return nil
}

// follow reads events until the reading is ended, and then those that wait.
func (w *watcher) follow() error {
	buffer := make([]byte, 64<<10)
	for {
		n, err := w.inotify.Read(buffer)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return w.drain(buffer)
		}
		if err != nil {
			return fmt.Errorf("reading events of files: %w", err)
		}
		w.noteAll(buffer[:n])
	}
}

// drain reads until no event is left.
func (w *watcher) drain(buffer []byte) error {
	conn, err := w.inotify.SyscallConn()
	if err != nil {
		return fmt.Errorf("reading events of files: %w", err)
	}
	for {
		var n int
		var failed error
		err := conn.Control(func(fd uintptr) { n, failed = unix.Read(int(fd), buffer) })
		switch {
		case errors.Is(failed, unix.EAGAIN):
			return nil
		case errors.Is(failed, unix.EINTR):
			continue
		case err != nil || failed != nil:
			return fmt.Errorf("reading events of files: %w", errors.Join(err, failed))
		}
		w.noteAll(buffer[:n])
	}
}

// noteAll gives events the time at which they were read.
func (w *watcher) noteAll(b []byte) {
	now := time.Now()
	for _, e := range parseEvents(b) {
		w.note(e, now)
	}
}

// event is one of inotify(7).
type event struct {
	wd   int32
	mask uint32
	name string
}

// parseEvents reads what the kernel wrote: a header of 16 bytes each, and a
// name that is padded with zeros.
func parseEvents(b []byte) []event {
	var events []event
	for len(b) >= unix.SizeofInotifyEvent {
		e := event{wd: int32(binary.NativeEndian.Uint32(b)), mask: binary.NativeEndian.Uint32(b[4:])}
		end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(b[12:]))
		if end > len(b) {
			break
		}
		e.name = strings.TrimRight(string(b[unix.SizeofInotifyEvent:end]), "\x00")
		events, b = append(events, e), b[end:]
	}
	return events
}

func (w *watcher) note(e event, at time.Time) {
	if e.mask&unix.IN_Q_OVERFLOW != 0 {
		w.lost = append(w.lost, "the kernel's queue of events was full")
		return
	}
	dir, known := w.dirs[e.wd]
	switch {
	case !known || e.name == "":
	case dir.uid != "":
		if e.mask&unix.IN_ISDIR != 0 {
			w.register.container(dir.uid, at)
		}
	case dir.path == LogsDir:
		w.follows(e.name, at)
	case dir.path == NetnsDir:
		w.register.appeared(e.name, at)
	case dir.path == ResultsDir:
		w.read(e.name, at)
	}
}

// follows watches the directory of a new pod for its containers'.
func (w *watcher) follows(name string, at time.Time) {
	uid, ours := w.register.begun(name, at)
	if !ours {
		return
	}
	dir := filepath.Join(LogsDir, name)
	if err := w.watch(watched{dir, uid}, unix.IN_CREATE); err != nil {
		if !errors.Is(err, os.ErrNotExist) { // the pod is gone again
			w.lost = append(w.lost, err.Error())
		}
		return
	}
	// What was made before the watch was is there by now.
	entries, err := os.ReadDir(filepath.Join(w.root, dir))
	if err == nil && len(entries) > 0 {
		w.register.container(uid, time.Now())
	}
}

// read notes a result. One that is gone is of a pod that is.
func (w *watcher) read(name string, at time.Time) {
	text, err := os.ReadFile(filepath.Join(w.root, ResultsDir, name))
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	if err == nil {
		err = w.register.added(text, at)
	}
	if err != nil {
		w.lost = append(w.lost, err.Error())
	}
}
