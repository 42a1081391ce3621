//go:build linux

package node

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"

	"golang.org/x/sys/unix"

	"github.com/cnibench/cnibench/internal/lab/cgroup"
)

// Descriptors that the supervisor inherits.
const (
	listenerFD = 3 // a TCP listener on the host's loopback
	readyFD    = 4 // closed after "ok\n" is written, when the nodes run
	peerFD     = 5 // the network namespace of another lab's switch, if there is a peer
)

// Supervise builds the switch, starts the nodes and forwards API connections
// until it is killed. It must be pid 1 of its PID namespace and alone in its
// network namespace, which becomes the switch.
func Supervise(specFile string) error {
	spec, err := ReadLab(specFile)
	if err != nil {
		return err
	}
	groups, err := cgroup.Detect()
	if err != nil {
		return err
	}
	if err := groups.Join(spec.Cgroup + "/supervisor"); err != nil {
		return err
	}
	// The nodes' processes are looked up by their pid in our namespace.
	if err := privateProc(); err != nil {
		return err
	}
	sw, err := newSwitch(spec.Bridge, spec.MTU)
	if err != nil {
		return err
	}
	if spec.Peer != nil {
		if err := sw.join(peerFD, *spec.Peer); err != nil {
			return fmt.Errorf("joining the other lab's switch: %w", err)
		}
	}
	if err := startNodes(sw, specFile, spec.Nodes); err != nil {
		return err
	}
	listener, err := net.FileListener(os.NewFile(listenerFD, "api"))
	if err != nil {
		return fmt.Errorf("taking over the API listener: %w", err)
	}
	go forward(listener, spec.API)
	if err := reportReady(); err != nil {
		return err
	}
	return untilNodeDies()
}

func privateProc() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		return fmt.Errorf("mounting /proc: %w", err)
	}
	return nil
}

// startNodes starts all nodes and returns when each has its root file system
// and its services are being started.
func startNodes(sw netSwitch, specFile string, nodes []Node) error {
	prepared := make([]*os.File, len(nodes))
	for i, n := range nodes {
		var err error
		if prepared[i], err = startNode(sw, specFile, n); err != nil {
			return fmt.Errorf("starting node %s: %w", n.Name, err)
		}
	}
	for i, n := range nodes {
		if _, err := prepared[i].Read(make([]byte, 2)); err != nil {
			return fmt.Errorf("starting node %s: it ended", n.Name)
		}
		_ = prepared[i].Close() // only read from
	}
	return nil
}

// startNode starts pid 1 of a node in new namespaces, plugs the node into the
// switch, and only then lets it go on. The returned pipe tells when the node
// is prepared.
func startNode(sw netSwitch, specFile string, n Node) (*os.File, error) {
	wait, release, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer func() { _ = wait.Close() }()    // the node has its own
	defer func() { _ = release.Close() }() // what was written is in the pipe
	prepared, report, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer func() { _ = report.Close() }() // the node has its own
	cgroups, err := os.Open(ownCgroupNamespace)
	if err != nil {
		return nil, err
	}
	defer func() { _ = cgroups.Close() }() // the node has its own
	cmd := exec.Command("/proc/self/exe", "init", specFile, n.Name)
	cmd.Args[0] = "cnibench-node"
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{wait, report, cgroups}
	cmd.SysProcAttr = &unix.SysProcAttr{
		Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC,
		Setsid:     true,
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if err := sw.plug(cmd.Process.Pid, n); err != nil {
		return nil, err
	}
	_, err = release.Write([]byte("go"))
	return prepared, err
}

func reportReady() error {
	ready := os.NewFile(readyFD, "ready")
	if _, err := ready.WriteString("ok\n"); err != nil {
		return fmt.Errorf("reporting that the nodes run: %w", err)
	}
	return ready.Close()
}

// untilNodeDies reaps children. A node's pid 1 never exits by itself, so a
// lab that lost one is torn down as a whole instead of limping on.
func untilNodeDies() error {
	children := make(chan os.Signal, 1)
	signal.Notify(children, unix.SIGCHLD)
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return fmt.Errorf("waiting for nodes: %w", err)
		case pid > 0:
			return fmt.Errorf("pid 1 of a node ended: %v", status)
		default:
			<-children
		}
	}
}
