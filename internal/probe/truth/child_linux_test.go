//go:build e2e

package truth

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// roleVariable names the environment variable that makes the test program one
// of the children, and argumentVariable what the child is told.
const (
	roleVariable     = "CNIBENCH_TRUTH_ROLE"
	argumentVariable = "CNIBENCH_TRUTH_ARGUMENT"
)

func TestMain(m *testing.M) {
	work, isChild := map[string]func(string) error{
		"burner":   burn,
		"hog":      hog,
		"sender":   send,
		"receiver": receive,
	}[os.Getenv(roleVariable)]
	if !isChild {
		os.Exit(m.Run())
	}
	if err := serve(work, os.Getenv(argumentVariable)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve begins work at the first line of stdin, answers every line with the
// resources used so far, and ends with stdin.
func serve(work func(string) error, argument string) error {
	failed := make(chan error, 1)
	lines := bufio.NewScanner(os.Stdin)
	for first := true; lines.Scan(); first = false {
		var u unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
			return err
		}
		resident, err := pages()
		if err != nil {
			return err
		}
		if _, err := fmt.Println(u.Utime.Nano(), u.Stime.Nano(), u.Maxrss*1024, resident*os.Getpagesize()); err != nil {
			return err
		}
		if first {
			go func() { failed <- work(argument) }()
		}
		select {
		case err := <-failed:
			return err
		default:
		}
	}
	return lines.Err()
}

// pages is how many are resident. The largest number that getrusage(2) ever saw
// does not tell that of a process that has just begun: it is handed down from
// the one that started it.
func pages() (n int, err error) {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	_, err = fmt.Sscan(string(statm), new(int), &n)
	return n, err
}

// burn spins for the given share of the time. The length of a turn is random,
// so that turns do not march in step with the timer tick that samples them.
func burn(share string) error {
	duty, err := strconv.ParseFloat(share, 64)
	if err != nil {
		return err
	}
	for {
		start := time.Now()
		turn := time.Duration((10 + 20*rand.Float64()) * float64(time.Millisecond))
		for time.Since(start) < time.Duration(duty*float64(turn)) {
		}
		time.Sleep(time.Until(start.Add(turn)))
	}
}

// hog maps and touches as many bytes as it is told, and holds them.
func hog(bytes string) error {
	size, err := strconv.Atoi(bytes)
	if err != nil {
		return err
	}
	memory, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return err
	}
	for i := 0; i < size; i += os.Getpagesize() {
		memory[i] = 1
	}
	select {}
}

const floodPort = "5999"

// send floods address with datagrams. Each call hands the kernel 43 of them,
// which stay one buffer until the receiving socket: the softirq that takes them
// apart is then long against what happens between its bounds as the kernel's
// accounting sees them and the tracepoints.
func send(address string) error {
	conn, err := net.Dial("udp", net.JoinHostPort(address, floodPort))
	if err != nil {
		return err
	}
	const datagram = 1400
	file, err := conn.(*net.UDPConn).File()
	if err != nil {
		return err
	}
	if err := unix.SetsockoptInt(int(file.Fd()), unix.IPPROTO_UDP, unix.UDP_SEGMENT, datagram); err != nil {
		return fmt.Errorf("setting UDP_SEGMENT: %w", err)
	}
	buffer := make([]byte, 43*datagram)
	for {
		// A full queue is no reason to stop.
		flow(unix.SYS_WRITE, file, buffer)
	}
}

func receive(address string) error {
	conn, err := net.ListenPacket("udp", net.JoinHostPort(address, floodPort))
	if err != nil {
		return err
	}
	file, err := conn.(*net.UDPConn).File()
	if err != nil {
		return err
	}
	buffer := make([]byte, 1<<16)
	for {
		flow(unix.SYS_READ, file, buffer)
	}
}

// flow makes a blocking system call without the scheduler of Go, whose timers
// on the way would interrupt the flood thousands of times a second.
func flow(call uintptr, file *os.File, buffer []byte) {
	_, _, _ = unix.RawSyscall(call, file.Fd(), uintptr(unsafe.Pointer(&buffer[0])), uintptr(len(buffer)))
}

// child is a process of this test program in another role.
type child struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	cgroup string // relative to the cgroup root
}

// usage is what getrusage(2) says of a child: seconds, and bytes.
type usage struct{ user, system, maxRSS, resident float64 }

func (u usage) cpu() float64 { return u.user + u.system }

// start runs a child on one CPU, in a cgroup of its own and, if asked for, in
// a network namespace of its own. It waits to be told to begin.
func start(t *testing.T, groups cgroups, role, argument string, cpu int, network bool) *child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// Above others, or a starved machine leaves too little to compare.
	c := &child{t: t, cmd: exec.Command("nice", "-n", "-10", "taskset", "-c", strconv.Itoa(cpu), self)}
	c.cmd.Env = append(os.Environ(), roleVariable+"="+role, argumentVariable+"="+argument,
		"GOMAXPROCS=2") // one for the work, one to answer
	c.cmd.Stderr = os.Stderr
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if network {
		c.cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWNET
	}
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.out = bufio.NewReader(out)
	c.cgroup = groups.make(t, role) // before stop is to be called, so that it goes after
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.stop)
	groups.add(t, c.cgroup, c.cmd.Process.Pid)
	return c
}

// stop kills the child, if it still runs.
func (c *child) stop() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait() // killed
}

// usage asks the child what it has used; the first time makes it begin.
func (c *child) usage() usage {
	c.t.Helper()
	if _, err := io.WriteString(c.in, "\n"); err != nil {
		c.t.Fatalf("asking %s: %v", c.cgroup, err)
	}
	var user, system, most, resident int64
	if _, err := fmt.Fscanln(c.out, &user, &system, &most, &resident); err != nil {
		c.t.Fatalf("answer of %s: %v", c.cgroup, err)
	}
	return usage{float64(user) / 1e9, float64(system) / 1e9, float64(most), float64(resident)}
}
