//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cnibench/cnibench/internal/probe/openmetrics"
)

// TestRecordOnTwoNodes records both ends of an iperf3 on two nodes of a lab,
// and loads what comes of it into real databases.
func TestRecordOnTwoNodes(t *testing.T) {
	leavesNothing(t)
	downAtEnd(t, "e2e-record")
	mustRun(t, "lab", "up", "e2e-record", "--nodes", "2")
	for _, node := range []string{"node1", "node2"} {
		install(t, "e2e-record", node)
	}
	addresses := mustRun(t, "lab", "exec", "e2e-record", "node2", "--", "ip", "-4", "-o", "addr").stdout
	address := regexp.MustCompile(`198\.18\.\d+\.\d+`).FindString(addresses)
	on := func(node string, args ...string) []string {
		return append([]string{"lab", "exec", "e2e-record", node, "--", "cnibench", "record"}, args...)
	}
	waiting := start(t, on("node2", "--sync", "server="+address+":7411", "--before", "2s", "--after", "1s",
		"--label", "id=pair", "--out", "/root/server.om", "--", "iperf3", "-s")...)
	client := mustRun(t, on("node1", "--sync", "client="+address, "--before", "4s", "--after", "1s",
		"--label", "cni=flannel", "--out", "/root/client.om", "--", "iperf3", "-c", address, "-t", "3", "--json")...)
	if o := waiting.wait(); o.status != 0 || !strings.Contains(o.stderr, "asked to end because the other end's command had") {
		t.Fatalf("the server's end: exit status %d\n%s", o.status, o.stderr)
	}
	var load struct {
		End struct {
			Sent struct{ Bytes float64 } `json:"sum_sent"`
		}
	}
	if err := json.Unmarshal([]byte(client.stdout), &load); err != nil || load.End.Sent.Bytes == 0 {
		t.Fatalf("stdout is not what iperf3 printed: %v\n%s", err, client.stdout)
	}
	files := map[string]string{}
	for role, node := range map[string]string{"server": "node2", "client": "node1"} {
		files[role] = filepath.Join(t.TempDir(), role+".om")
		text := mustRun(t, "lab", "exec", "e2e-record", node, "--", "cat", "/root/"+role+".om").stdout
		if err := os.WriteFile(files[role], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	mustRun(t, "lab", "down", "e2e-record")
	ends := map[string]recorded{"server": readRecorded(t, files["server"]), "client": readRecorded(t, files["client"])}
	checkPair(t, ends["server"], ends["client"])
	sent := ends["client"].grown(t, "cnibench_interface_bytes", map[string]string{"interface": "eth0", "direction": "tx"})
	if sent < load.End.Sent.Bytes {
		t.Errorf("the client's node sent %v bytes, iperf3 in it %v", sent, load.End.Sent.Bytes)
	}
	vm := victoriaMetrics(t)
	vm.load(files["server"])
	vm.load(files["client"])
	for _, db := range []*server{vm, prometheus(t, joined(t, files["server"], files["client"]))} {
		for role, end := range ends {
			checkLoaded(t, db, role, end)
		}
	}
}

// joined makes one file of two, as docs/record.md says: of two files of the
// same time promtool would make blocks that overlap, which Prometheus takes
// with a warning.
func joined(t *testing.T, files ...string) string {
	t.Helper()
	pair := filepath.Join(t.TempDir(), "pair.om")
	script := "{ grep -hv '^# EOF$' \"$@\"; echo '# EOF'; } >" + pair
	if out, err := exec.Command("sh", append([]string{"-c", script, "sh"}, files...)...).CombinedOutput(); err != nil {
		t.Fatalf("joining two exports: %v\n%s", err, out)
	}
	return pair
}

// install puts the program under test into a node.
func install(t *testing.T, lab, node string) {
	t.Helper()
	f, err := os.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // only read from
	const to = "/usr/local/bin/cnibench"
	cmd := exec.Command(program, "lab", "exec", lab, node, "--", "sh", "-c", "cat >"+to+" && chmod 755 "+to)
	cmd.Stdin = f
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("installing cnibench in %s: %v\n%s", node, err, out)
	}
}

// recorded is an export, read.
type recorded []openmetrics.Family

func readRecorded(t *testing.T, file string) recorded {
	t.Helper()
	families, err := openmetrics.Read(strings.NewReader(readFile(t, file)))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return families
}

// find returns the series of a family that has some labels.
func (r recorded) find(t *testing.T, name string, labels map[string]string) openmetrics.Series {
	t.Helper()
	for _, f := range r {
		for _, s := range f.Series {
			fits := f.Name == name
			for k, v := range labels {
				fits = fits && s.Labels[k] == v
			}
			if fits {
				return s
			}
		}
	}
	t.Fatalf("there is no %s%v", name, labels)
	return openmetrics.Series{}
}

// grown is by how much a counter grew.
func (r recorded) grown(t *testing.T, name string, labels map[string]string) float64 {
	t.Helper()
	points := r.find(t, name, labels).Points
	return points[len(points)-1].Value - points[0].Value
}

// began returns the time of a phase's first sample.
func (r recorded) began(t *testing.T, phase string) time.Time {
	t.Helper()
	for _, p := range r.find(t, "cnibench_record_phase", map[string]string{"phase": phase}).Points {
		if p.Value == 1 {
			return p.At
		}
	}
	t.Fatalf("no sample is of the phase %s", phase)
	return time.Time{}
}

// checkPair compares the two ends' times, which can be compared because nodes
// of a lab share a clock.
func checkPair(t *testing.T, server, client recorded) {
	t.Helper()
	for _, end := range []recorded{server, client} {
		labels := end.find(t, "cnibench_record_phase", nil).Labels
		if labels["id"] != "pair" {
			t.Errorf("the identifier of the %s is %q, want what the server was given", labels["role"], labels["id"])
		}
	}
	serverBegan := server.began(t, "before")
	clientBegan := client.began(t, "before")
	// Both begin within a fraction of a millisecond of each other, on a machine
	// that has time for them. One sampling interval apart they are not together.
	if apart := clientBegan.Sub(serverBegan).Abs(); apart >= time.Second {
		t.Errorf("the ends began %v apart", apart)
	}
	serverUp := server.began(t, "command")
	serverDown := server.began(t, "after")
	clientUp := client.began(t, "command")
	clientDown := client.began(t, "after")
	if !serverUp.Before(clientUp) || !clientDown.Before(serverDown) {
		t.Errorf("the server's command ran from %v to %v, the client's from %v to %v", serverUp, serverDown, clientUp, clientDown)
	}
}

// checkLoaded asks a database for what the export says last.
func checkLoaded(t *testing.T, db *server, role string, end recorded) {
	t.Helper()
	for expression, s := range map[string]openmetrics.Series{
		`sum(cnibench_cpu_seconds_total{role="` + role + `",mode="softirq"})`:                 end.find(t, "cnibench_cpu_seconds", map[string]string{"mode": "softirq"}),
		`cnibench_record_phase{role="` + role + `",phase="after"}`:                            end.find(t, "cnibench_record_phase", map[string]string{"phase": "after"}),
		`cnibench_interface_bytes_total{role="` + role + `",interface="eth0",direction="tx"}`: end.find(t, "cnibench_interface_bytes", map[string]string{"interface": "eth0", "direction": "tx"}),
	} {
		last := s.Points[len(s.Points)-1]
		if got := db.value(expression, last.At); got != last.Value {
			t.Errorf("%s: %s is %v, in the file %v", db.name, expression, got, last.Value)
		}
	}
}

// TestRecordAsStatexec loads an export with the names of statexec.
func TestRecordAsStatexec(t *testing.T) {
	file := filepath.Join(t.TempDir(), "statexec.om")
	mustRun(t, "record", "--every", "100ms", "--before", "500ms", "--after", "500ms", "--format", "statexec",
		"--start-at", "2024-01-01T00:00:00Z", "--out", file, "--", "sleep", "1")
	vm := victoriaMetrics(t)
	vm.load(file)
	status := readRecorded(t, file).find(t, "statexec_command_status", nil)
	for _, db := range []*server{vm, prometheus(t, file)} {
		// VictoriaMetrics does not find a series at the moment of its first sample.
		for _, p := range status.Points[1:] {
			if got := db.value("statexec_command_status", p.At); got != p.Value {
				t.Errorf("%s: the command's status at %v is %v, in the file %v", db.name, p.At, got, p.Value)
			}
		}
	}
}

// TestRecordOnFullDisk wants the reason and the command's own status when
// there is no space for what is recorded.
func TestRecordOnFullDisk(t *testing.T) {
	leavesNothing(t)
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=8k"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	o := run(t, "record", "--every", "10ms", "--before", "500ms", "--after", "0s", "--out", dir, "--", "sh", "-c", "echo done; exit 5")
	o.refused(t, 5, "no space left on device", "the command's exit status is 5", "cnibench: hint: ")
	if o.stdout != "done\n" {
		t.Errorf("the command's output is %q", o.stdout)
	}
}
