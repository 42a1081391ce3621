package cli

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/cnibench/cnibench/internal/lab"
)

var update = flag.Bool("update", false, "rewrite what the scripts expect")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"cnibench": func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestScripts runs the program as users do. Scripts have, besides what
// testscript brings,
//
//	status N COMMAND    runs the command and fails unless it exits with N and,
//	                    where N is not 0, speaks as every error must
//	verdict N COMMAND   is status for a command whose result is an exit status:
//	                    it prints the result all the same
//	results DIR         makes a results directory of made-up figures
//	measured DIR ...    makes one whose figures the script chooses
//	twins DIR           makes one of an A/A campaign
//	fetch URL FILE      writes what a server answers, once it does, to a file
//
// the condition [lab], which is true on a machine that can run labs, and the
// variable PORT, a port where nobody listens.
func TestScripts(t *testing.T) {
	canRunLabs := checkMachine(t)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status, "results": makeResults, "verdict": verdict, "measured": makeMeasured, "twins": makeTwins, "fetch": fetch,
		},
		Condition: func(name string) (bool, error) {
			if name != "lab" {
				return false, fmt.Errorf("there is no condition %s", name)
			}
			return canRunLabs, nil
		},
		Setup: func(e *testscript.Env) error {
			// The labs of this machine are none of the scripts' business.
			e.Setenv("CNIBENCH_STATE", filepath.Join(e.WorkDir, ".state"))
			port, err := freePort()
			e.Setenv("PORT", port)
			return err
		},
	})
}

// freePort is a port of this machine that nobody listens at right now.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, errors.Join(err, l.Close())
}

// checkMachine asks with a state directory of its own, which the check makes.
func checkMachine(t *testing.T) bool {
	t.Setenv("CNIBENCH_STATE", t.TempDir())
	return lab.CheckMachine() == nil
}

func status(ts *testscript.TestScript, neg bool, args []string) {
	wantStatus(ts, neg, args)
	if args[0] != "0" && ts.ReadFile("stdout") != "" {
		ts.Fatalf("an error left something on stdout, which is for results:\n%s", ts.ReadFile("stdout"))
	}
}

func verdict(ts *testscript.TestScript, neg bool, args []string) {
	wantStatus(ts, neg, args)
	if ts.ReadFile("stdout") == "" {
		ts.Fatalf("there is no result on stdout")
	}
}

// wantStatus runs a command and looks at how it ends.
func wantStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	stderr := ts.ReadFile("stderr")
	if got != want {
		ts.Fatalf("exit status %d, want %d\n%s", got, want, stderr)
	}
	if want != exitOK && !strings.HasPrefix(stderr, "cnibench: error: ") {
		ts.Fatalf("an error must start with \"cnibench: error: \", not\n%s", stderr)
	}
}
