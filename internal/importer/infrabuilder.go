package importer

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// ibTest is one of the nine tests of the benchmark of 2024.
type ibTest struct {
	name, protocol, streams, path string
	main                          result.Metric
}

var ibTests = []ibTest{
	{"idle", "", "", "", cpu},
	{"dts", "tcp", "1", "pod", throughput},
	{"dtm", "tcp", "8", "pod", throughput},
	{"dus", "udp", "1", "pod", goodput},
	{"dum", "udp", "8", "pod", goodput},
	{"sts", "tcp", "1", "service", throughput},
	{"stm", "tcp", "8", "service", throughput},
	{"sus", "udp", "1", "service", goodput},
	{"sum", "udp", "8", "service", goodput},
}

// ibBaseline is the id of the runs without Kubernetes, which has no Services.
const ibBaseline = "baremetal"

// ibJob is one trial to read.
type ibJob struct {
	key
	test ibTest
	dir  string // id/run
	has  map[string]bool
}

func readInfraBuilder(s *source, _ Options) (*data, error) {
	if s.only != "" {
		return nil, s.problem(s.only, 0, "give the directory results/ of the benchmark, or the one that has it", "it is a file")
	}
	root := "."
	if info, err := fs.Stat(s.root, "results"); err == nil && info.IsDir() {
		root = "results"
	}
	runs, err := ibRuns(s, root)
	if err != nil {
		return nil, err
	}
	d := &data{name: "infrabuilder-2024", environment: map[string]result.Variant{}, warnings: ibWarnings}
	jobs, err := ibPlan(s, d, runs)
	if err != nil {
		return nil, err
	}
	learned := newIBLessons()
	d.learned = learned.warnings
	d.trials = func(yield func(result.Trial, error) bool) {
		type outcome struct {
			draft *draft
			err   error
		}
		work := func(i int) outcome {
			t, err := readIBTrial(s, jobs[i])
			return outcome{t, err}
		}
		for o := range inOrder(len(jobs), runtime.GOMAXPROCS(0), work) {
			if o.err != nil {
				yield(result.Trial{}, o.err)
				return
			}
			learned.note(o.draft)
			if !yield(o.draft.trial(), nil) {
				return
			}
		}
	}
	return d, nil
}

// ibRun is a directory ID/RUN.
type ibRun struct {
	id, dir string
	run     int
}

// ibRuns finds the runs, the baseline's first.
func ibRuns(s *source, root string) ([]ibRun, error) {
	ids, err := fs.ReadDir(s.root, root)
	if err != nil {
		return nil, s.problem(root, 0, "make it readable", "%v", plainError(err))
	}
	var runs []ibRun
	for _, id := range ids {
		if !id.IsDir() {
			continue
		}
		numbers, err := fs.ReadDir(s.root, path.Join(root, id.Name()))
		if err != nil {
			return nil, s.problem(path.Join(root, id.Name()), 0, "make it readable", "%v", plainError(err))
		}
		for _, n := range numbers {
			if run, err := strconv.Atoi(n.Name()); err == nil && run > 0 && run <= 1e6 && n.IsDir() {
				runs = append(runs, ibRun{id.Name(), path.Join(root, id.Name(), n.Name()), run})
			}
		}
	}
	if len(runs) == 0 {
		return nil, s.problem(root, 0, "give the directory results/ of the benchmark, or the one that has it", "it has no directory ID/RUN with a number for RUN")
	}
	slices.SortStableFunc(runs, func(a, b ibRun) int {
		return cmp.Or(cmp.Compare(a.run, b.run), -cmp.Compare(ibFirst(a.id), ibFirst(b.id)), strings.Compare(a.id, b.id))
	})
	return runs, nil
}

func ibFirst(id string) int {
	if id == ibBaseline {
		return 1
	}
	return 0
}

// ibPlan makes blocks of the runs, and a job of every trial in them.
func ibPlan(s *source, d *data, runs []ibRun) ([]ibJob, error) {
	for _, t := range ibTests {
		c := plan.Cell{ID: t.name, Scenario: t.name}
		if t.protocol != "" {
			c.Parameters = parameter.Values{"protocol": t.protocol, "streams": t.streams, "path": t.path}
		}
		d.cells = append(d.cells, c)
		d.primary = append(d.primary, t.name+"/"+t.main.Name)
	}
	var jobs []ibJob
	variants := names{}
	for _, r := range runs {
		variant, err := variants.of(r.id)
		if err != nil {
			return nil, s.problem(r.dir, 0, "rename the directory", "%v", err)
		}
		if len(d.blocks) == 0 || d.blocks[len(d.blocks)-1].Index != r.run {
			d.blocks = append(d.blocks, plan.Block{Index: r.run})
		}
		b := &d.blocks[len(d.blocks)-1]
		b.Order = append(b.Order, variant)
		entries, err := fs.ReadDir(s.root, r.dir)
		if err != nil {
			return nil, s.problem(r.dir, 0, "make it readable", "%v", plainError(err))
		}
		has := map[string]bool{}
		for _, e := range entries {
			has[e.Name()] = !e.IsDir()
		}
		if err := ibEnvironment(s, d, variant, r, has); err != nil {
			return nil, err
		}
		for _, t := range ibTests {
			b.Cells = appendNew(b.Cells, t.name)
			jobs = append(jobs, ibJob{key{r.run, variant, t.name}, t, r.dir, has})
		}
		if len(jobs) > maxTrials || len(d.blocks) > maxNames || len(variants) > maxNames {
			return nil, s.problem(r.dir, 0, "give the directory of one data set", "there are too many runs")
		}
	}
	return jobs, nil
}

// ibEnvironment reads what a run says of its machines: their kernel, and
// whether policies were enforced.
func ibEnvironment(s *source, d *data, variant string, r ibRun, has map[string]bool) error {
	v, known := d.environment[variant]
	if !known {
		v = result.Variant{Name: variant, Facts: map[string]string{}}
	}
	for _, role := range []string{"client", "server"} {
		file := "info-" + role + ".uname"
		if !has[file] {
			continue
		}
		content, err := s.read(path.Join(r.dir, file))
		if err != nil {
			return err
		}
		fields := strings.Fields(string(content)) // Linux a3 5.15.0-100-generic #110-Ubuntu …
		if len(fields) < 3 {
			continue
		}
		known := slices.ContainsFunc(v.Nodes, func(n result.Node) bool { return n.Name == fields[1] && n.Kernel == fields[2] })
		if !known && len(v.Nodes) < 100 {
			v.Nodes = append(v.Nodes, result.Node{Name: fields[1], Kernel: fields[2]})
		}
	}
	if has["info-netpol"] {
		content, err := s.read(path.Join(r.dir, "info-netpol"))
		if err != nil {
			return err
		}
		if fields := strings.Fields(string(content)); len(fields) == 4 {
			v.Facts["ingress policies enforced"], v.Facts["egress policies enforced"] = fields[2], fields[3]
		}
	}
	d.environment[variant] = v
	return nil
}

// readIBTrial reads the files of one test of one run.
func readIBTrial(s *source, j ibJob) (*draft, error) {
	t := ibReader{draft: newDraft(j.key), source: s, job: j}
	return t.draft, t.read()
}

type ibReader struct {
	*draft
	source *source
	job    ibJob
	// results is TEST.results, by name without the test's.
	results map[string]string
	// load is when the generator measured, after its start, in milliseconds.
	loadFrom, loadTo int64
}

func (t *ibReader) file(suffix string) string { return t.job.test.name + suffix }

func (t *ibReader) read() error {
	any := false
	for _, suffix := range []string{"-client.stdout", "-client.prom", "-server.prom", ".results"} {
		any = any || t.job.has[t.file(suffix)]
	}
	switch {
	case !any && t.job.variant == ibBaseline && t.job.test.path == "service":
		t.cannot("there are no Services without Kubernetes")
		return nil
	case !any:
		t.fail("the source has no file of this test")
		return nil
	}
	if err := t.readResults(); err != nil {
		return err
	}
	if t.job.test.protocol != "" {
		if err := t.readLoad(); err != nil || t.failure != "" {
			return err
		}
	}
	return t.readMachines()
}

// assignment is a line of a .results file.
var assignment = regexp.MustCompile(`^([A-Z]+)_([A-Z_]+)=(.*)$`)

func (t *ibReader) readResults() error {
	t.results = map[string]string{}
	if !t.job.has[t.file(".results")] {
		return nil
	}
	content, err := t.source.read(path.Join(t.job.dir, t.file(".results")))
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(content)) {
		m := assignment.FindStringSubmatch(strings.TrimSpace(line))
		if m != nil && strings.EqualFold(m[1], t.job.test.name) {
			t.results[m[2]] = strings.TrimSpace(m[3])
		}
	}
	return nil
}

// number is a value of .results; false where it is empty, null or no number.
func (t *ibReader) number(name string) (float64, bool) {
	x, err := strconv.ParseFloat(t.results[name], 64)
	return x, err == nil
}

// withoutSoftirq is what .results leave out.
const withoutSoftirq = "user and system time alone, over the life of the command: softirq, irq, nice and steal are not in the source's .results"

// readMachines reads the series of both nodes, or else what .results have of
// them.
func (t *ibReader) readMachines() error {
	client, server := t.file("-client.prom"), t.file("-server.prom")
	if !t.job.has[client] && !t.job.has[server] {
		t.fromResults()
		return nil
	}
	var both usage
	var window [2]int64
	for _, role := range []string{client, server} {
		if !t.job.has[role] {
			t.lackMachines("the source has no " + role)
			continue
		}
		one, err := readNode(t.source, path.Join(t.job.dir, role))
		var unreadable *seriesError
		if errors.As(err, &unreadable) {
			t.lackMachines(role + ": " + err.Error())
			continue
		}
		if err != nil {
			return err
		}
		if role == client {
			window = t.windowOf(one)
		}
		if window[1] == 0 {
			t.lackMachines("the client's series do not say when the command ran, so the window is not known")
			continue
		}
		u, err := one.between(window[0], window[1])
		if err != nil {
			t.lackMachines(role + ": " + err.Error())
			continue
		}
		if role == client {
			both = u
		} else {
			both = both.add(u)
		}
	}
	if len(t.missing[cpu.Name]) == 0 {
		t.usage(both, "")
	}
	if t.job.test.protocol != "" {
		t.perGbit(t.job.test.main.Name, "")
	}
	return nil
}

func (t *ibReader) lackMachines(reason string) {
	for _, m := range []string{cpu.Name, memoryUsed.Name} {
		if t.missing[m] == "" {
			t.lack(m, reason)
		}
	}
}

// windowOf is when the load was measured, on the samplers' clock, which both
// start at the same moment. An idle test is measured while its command runs.
// The server's command runs longer: it is stopped only when the client's
// sampler has waited.
func (t *ibReader) windowOf(client series) [2]int64 {
	from, to := client.phase()
	if from == 0 || t.job.test.protocol != "" && t.loadTo == 0 {
		return [2]int64{}
	}
	if t.job.test.protocol != "" {
		return [2]int64{from + t.loadFrom, from + t.loadTo}
	}
	return [2]int64{from, to}
}

// fromResults takes what a copy without series has.
func (t *ibReader) fromResults() {
	var cores, memory float64
	for _, role := range []string{"CLIENT", "SERVER"} {
		user, ok := t.number(role + "_USER")
		system, okToo := t.number(role + "_SYSTEM")
		if !ok || !okToo {
			t.lack(cpu.Name, fmt.Sprintf("%s has no CPU of the %s", t.file(".results"), strings.ToLower(role)))
		}
		used, ok := t.number(role + "_MEM")
		if !ok {
			t.lack(memoryUsed.Name, fmt.Sprintf("%s has no memory of the %s", t.file(".results"), strings.ToLower(role)))
		}
		cores, memory = cores+user+system, memory+used
	}
	if t.missing[cpu.Name] == "" {
		t.add(cpu, cores, withoutSoftirq)
	}
	if t.missing[memoryUsed.Name] == "" {
		t.add(memoryUsed, memory, "")
	}
	if t.job.test.protocol != "" {
		t.perGbit(t.job.test.main.Name, withoutSoftirq)
	}
}
