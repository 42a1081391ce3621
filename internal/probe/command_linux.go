package probe

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/probe/sample"
	"golang.org/x/sys/unix"
)

const usage = `cnibench-probe runs load in pods and samples nodes. It is started by cnibench.

Usage:
    cnibench-probe pause                            wait for SIGTERM, reap orphans
    cnibench-probe load   < SPEC                    run processes, report on them
    cnibench-probe sample < SPEC                    sample this node until stdin ends; a line "mark" takes a sample
    cnibench-probe rtt    < SPEC                    measure round trips of TCP that passes until stdin ends
    cnibench-probe record FILE                      run a command, sample this node meanwhile
    cnibench-probe kernel < SPEC                    say what this kernel can do
    cnibench-probe facts  < SPEC                    say what this node is: kernel, CPUs, network card, links
    cnibench-probe vitals < SPEC                    say whether this node is well: clock, errors, kernel log, tables
    cnibench-probe tables < SPEC                    say how full this node's tables of connections are
    cnibench-probe capture < SPEC                   watch this node's link until stdin ends
    cnibench-probe canary < SPEC                    send a canary to an echo server
    cnibench-probe pace   < SPEC                    send requests at fixed times, measure the answers
    cnibench-probe pace-serve < SPEC                answer them until stdin ends
    cnibench-probe stream send < SPEC, ORDERS       send datagrams at steady rates, one trial per order
    cnibench-probe stream receive < SPEC, ORDERS    count which of them arrive
    cnibench-probe stream keep send|receive < SPEC  the same by a process that stays if a line follows its name
    cnibench-probe stream tell NAME < ORDER         give it an order, print its answer
    cnibench-probe web < SPEC                       serve HTTP until stdin ends
    cnibench-probe fetch < SPEC                     ask HTTP servers until each has answered
    cnibench-probe watch < SPEC                     try addresses again and again, answer commands on stdin
    cnibench-probe watch --spec SPEC --report FILE  likewise by itself, until what it awaits; then wait for SIGTERM
    cnibench-probe watch --read FILE [--limit 1m]   wait for that report
    cnibench-probe greet < SPEC, TARGETS            say when addresses first answer, one by one as they come
    cnibench-probe births [--root /] < SPEC         watch the pods of a namespace start on this node until stdin ends
    cnibench-probe listen < SPEC                    echo TCP, UDP and SCTP until stdin ends
    cnibench-probe put < SPEC, CONTENT              write a file
    cnibench-probe get < SPEC                       read a file
    cnibench-probe install PATH                     copy this program
    cnibench-probe topology [INTERFACE]             where this node's CPUs and its network card are
    cnibench-probe pinned 0,1 PROGRAM ARGUMENT…     become a program that runs on these CPUs only
    cnibench-probe relay HOST:PORT [HOST:PORT…]     stdin to the first that takes the connection, its answer to stdout
    cnibench-probe forward < SPEC                   carry connections through an HTTP proxy until stdin ends
    cnibench-probe reach tcp HOST:PORT [--timeout 3s]
    cnibench-probe reach dns HOST:PORT NAME [--timeout 3s]
    cnibench-probe reach echo --port PORT           echo TCP and UDP until SIGTERM
    cnibench-probe reach mtu HOST --port PORT [--way both|there|back] [--min 576] [--max 65535] [--tries 3] [--wait 300ms]
    cnibench-probe node state [--root /] < SPEC     what network plugins may change on this node
    cnibench-probe node clean [--root /] < SPEC     take away what a plugin left, then its state

SPEC is JSON on one line. stdin stays open: for load, its end means that the
caller is gone, and everything is killed. Results are frames on stdout.

Exit status: 0 done, 1 failed or not reached, 2 usage.

Example:
    (echo '{"processes":[{"argv":["sleep","1"]}],"timeoutNs":5000000000}'; sleep 2) | cnibench-probe load
`

// usageError is a mistake in the command line, with what to do instead.
type usageError struct{ problem, hint string }

func (e *usageError) Error() string { return e.problem }

// errNotReached makes the exit status 1; the frame says why.
var errNotReached = errors.New("not reached")

// Main runs the program with the given arguments, without its name, and
// returns its exit status.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), unix.SIGTERM, unix.SIGINT)
	defer stop()
	err := dispatch(ctx, args, stdin, stdout)
	var wrong *usageError
	var status *statusError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, flag.ErrHelp):
		_, _ = io.WriteString(stdout, usage) // nowhere to tell of a failure
		return 0
	case errors.As(err, &wrong):
		_, _ = fmt.Fprintf(stderr, "cnibench-probe: error: %s\ncnibench-probe: hint: %s\n", wrong.problem, wrong.hint)
		return 2
	}
	_, _ = fmt.Fprintf(stderr, "cnibench-probe: error: %v\n", err)
	if errors.As(err, &status) {
		return status.status
	}
	return 1
}

// command is something that the program does.
type command struct {
	name string
	run  func(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error
}

var commands = []command{
	{"pause", pauseCommand},
	{"load", loadCommand},
	{"sample", sampleCommand},
	{"rtt", rttCommand},
	{"record", recordCommand},
	{"capture", captureCommand},
	{"canary", canaryCommand},
	{"web", webCommand},
	{"fetch", fetchCommand},
	{"stream", streamCommand},
	{"watch", watchCommand},
	{"greet", greetCommand},
	{"births", birthsCommand},
	{"listen", listenCommand},
	{"pace", paceCommand},
	{"pace-serve", paceServeCommand},
	{"put", putCommand},
	{"get", getCommand},
	{"install", installCommand},
	{"topology", topologyCommand},
	{"pinned", pinnedCommand},
	{"kernel", kernelCommand},
	{"facts", factsCommand},
	{"vitals", vitalsCommand},
	{"tables", tablesCommand},
	{"relay", relayCommand},
	{"forward", forwardCommand},
	{"reach", reachCommand},
	{"node", nodeCommand},
}

func dispatch(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	name, args := shift(args)
	problem := fmt.Sprintf("there is no command %q", name)
	switch name {
	case "help", "-h", "-help", "--help":
		return flag.ErrHelp
	case "":
		problem = "no command given"
	}
	var names []string
	for _, c := range commands {
		if c.name == name {
			return c.run(ctx, args, stdin, stdout)
		}
		names = append(names, c.name)
	}
	return &usageError{problem, "give one of " + strings.Join(names, ", ") + "; --help explains them"}
}

func pauseCommand(_ context.Context, args []string, _ io.Reader, _ io.Writer) error {
	if err := parseFlags("pause", args, func(*flag.FlagSet) {}); err != nil {
		return err
	}
	Pause()
	return nil
}

func loadCommand(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	var spec LoadSpec
	ctx, cancel, err := untilStdinEnds(ctx, "load", args, stdin, &spec)
	if err != nil {
		return err
	}
	defer cancel()
	return RunLoad(ctx, spec, stdout)
}

func sampleCommand(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	var spec sample.Spec
	if err := parseFlags("sample", args, func(*flag.FlagSet) {}); err != nil {
		return err
	}
	in := bufio.NewReader(stdin)
	if err := ReadSpec(in, &spec); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	marks := make(chan struct{}, 1)
	go func() {
		readMarks(in, marks)
		cancel(errCallerGone)
	}()
	return RunSample(ctx, spec, marks, stdout)
}

func reachCommand(ctx context.Context, args []string, _ io.Reader, stdout io.Writer) error {
	what, args := shift(args)
	switch what {
	case "tcp":
		return reachTCPCommand(ctx, args, stdout)
	case "dns":
		return reachDNSCommand(ctx, args, stdout)
	case "echo":
		port := 0
		err := parseFlags("reach echo", args, func(f *flag.FlagSet) { f.IntVar(&port, "port", 0, "") })
		if err != nil {
			return err
		}
		if port < 1 || port > 65535 {
			return &usageError{fmt.Sprintf("reach echo cannot serve port %d", port), "give --port 1 to 65535"}
		}
		reapOrphans() // of a stream that was kept in its pod
		return Echo(ctx, port, stdout)
	case "mtu":
		return reachMTUCommand(ctx, args, stdout)
	case "-h", "-help", "--help":
		return flag.ErrHelp
	}
	return &usageError{"reach does not know " + strconv.Quote(what), "give one of reach tcp, reach dns, reach echo, reach mtu"}
}

func reachTCPCommand(ctx context.Context, args []string, stdout io.Writer) error {
	target, args := shift(args)
	if target == "" || target[0] == '-' {
		return &usageError{"reach tcp needs a target", "give HOST:PORT before any flags"}
	}
	timeout := 3 * time.Second
	err := parseFlags("reach tcp", args, func(f *flag.FlagSet) { f.DurationVar(&timeout, "timeout", timeout, "") })
	if err != nil {
		return err
	}
	return answerReach(stdout, ReachTCP(ctx, target, timeout))
}

func reachDNSCommand(ctx context.Context, args []string, stdout io.Writer) error {
	server, args := shift(args)
	name, args := shift(args)
	if server == "" || server[0] == '-' || name == "" || name[0] == '-' {
		return &usageError{"reach dns needs a server and a name", "give HOST:PORT NAME before any flags"}
	}
	timeout := 3 * time.Second
	err := parseFlags("reach dns", args, func(f *flag.FlagSet) { f.DurationVar(&timeout, "timeout", timeout, "") })
	if err != nil {
		return err
	}
	return answerReach(stdout, ReachDNS(ctx, server, name, timeout))
}

func answerReach(stdout io.Writer, result Reach) error {
	if err := WriteFrame(stdout, FrameReach, result); err != nil {
		return err
	}
	if !result.Reached {
		return fmt.Errorf("%s: %w (%s): %s", result.Target, errNotReached, result.Reason, result.Error)
	}
	return nil
}

func reachMTUCommand(ctx context.Context, args []string, stdout io.Writer) error {
	host, args := shift(args)
	if host == "" || host[0] == '-' {
		return &usageError{"reach mtu needs a host", "give HOST before any flags"}
	}
	p := MTUProbe{Host: host}
	err := parseFlags("reach mtu", args, func(f *flag.FlagSet) {
		f.IntVar(&p.Port, "port", 0, "")
		f.StringVar((*string)(&p.Way), "way", string(BothWays), "")
		f.IntVar(&p.Min, "min", 576, "")
		f.IntVar(&p.Max, "max", 65535, "")
		f.IntVar(&p.Tries, "tries", 3, "")
		f.DurationVar(&p.Wait, "wait", 300*time.Millisecond, "")
	})
	if err != nil {
		return err
	}
	if p.Port < 1 || p.Port > 65535 {
		return &usageError{fmt.Sprintf("reach mtu cannot use port %d", p.Port), "give --port of the echo server"}
	}
	if err := p.Validate(); err != nil {
		return &usageError{err.Error(), "change --min, --max, --way, --tries or --wait"}
	}
	result, err := FindPathMTU(ctx, p)
	if err != nil {
		return err
	}
	return WriteFrame(stdout, FrameMTU, result)
}

// parseFlags parses args, which may hold nothing but flags.
// untilStdinEnds reads the specification of a command without flags, and
// returns a context that ends with stdin: whoever started the command holds
// its other end, and is gone when it closes.
func untilStdinEnds(ctx context.Context, command string, args []string, stdin io.Reader, spec any) (context.Context, func(), error) {
	if err := parseFlags(command, args, func(*flag.FlagSet) {}); err != nil {
		return nil, nil, err
	}
	in := bufio.NewReader(stdin)
	if err := ReadSpec(in, spec); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, in) // a read error means the same as the end
		cancel(errCallerGone)
	}()
	return ctx, func() { cancel(nil) }, nil
}

func parseFlags(command string, args []string, define func(*flag.FlagSet)) error {
	flags := flag.NewFlagSet(command, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	define(flags)
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return &usageError{command + ": " + err.Error(), "cnibench-probe --help lists the flags"}
	}
	if flags.NArg() > 0 {
		return &usageError{fmt.Sprintf("%s does not take %q", command, flags.Arg(0)), "cnibench-probe --help shows the usage"}
	}
	return nil
}

func shift(args []string) (first string, rest []string) {
	if len(args) == 0 {
		return "", nil
	}
	return args[0], args[1:]
}
