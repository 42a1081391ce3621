package importer

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cnibench/cnibench/internal/result"
)

// knbTests are those of knb, in its order.
var knbTests = []string{"idle", "tcp-p2p", "udp-p2p", "tcp-p2s", "udp-p2s"}

// knbRun is how the files of the data set of 2020 are named.
var knbRun = regexp.MustCompile(`^(.+?)[-_.]run([0-9]{1,6})$`)

// knbFile is a file of an archive: knb-client-TEST-PID and what it is.
var knbFile = regexp.MustCompile(`^knb-client-(idle|tcp-p2p|udp-p2p|tcp-p2s|udp-p2s)-[0-9]+(\.bw|\.log|-client\.avg|-server\.avg)$`)

// Parts of the machine's CPU that knb has, in percent of all CPUs. What sar
// calls system contains softirq.
func knbCPU(role string) result.Metric {
	return result.Metric{Name: "cpu-share-" + role, Unit: "percent", Better: result.Lower, Scale: result.Difference, Margin: 0.5,
		Help: "busy CPU of the " + role + "'s machine, of all its CPUs; softirq included"}
}

func readKNB(s *source, o Options) (*data, error) {
	files, err := s.files(".knbdata")
	if err != nil {
		return nil, err
	}
	var named map[string]place
	if o.Pattern != "" {
		if named, err = s.places(files, o.Pattern); err != nil {
			return nil, err
		}
	}
	all, variants, environment := newDrafts(), names{}, map[string]result.Variant{}
	from := map[key]string{}
	for _, file := range files {
		at, given := named[file]
		if !given {
			at = place{variant: strings.TrimSuffix(path.Base(file), path.Ext(file)), block: 1}
			if m := knbRun.FindStringSubmatch(at.variant); m != nil {
				at.variant = m[1]
				at.block, _ = strconv.Atoi(m[2]) // digits, few enough
			}
		}
		k := key{block: at.block}
		if k.variant, err = variants.of(at.variant); err != nil || k.block < 1 {
			return nil, s.problem(file, 0, "name it VARIANT-runN.knbdata with N from 1, or say how it is named with --name", "it is run %d of %q", k.block, at.variant)
		}
		if first, twice := from[k]; twice {
			return nil, s.problem(file, 0, "name it VARIANT-runN.knbdata, or say how it is named with --name", "it is run %d of %s, and so is %s", k.block, k.variant, first)
		}
		from[k] = file
		content, err := s.read(file)
		if err != nil {
			return nil, err
		}
		archive, err := knbArchive(content)
		if err != nil {
			return nil, s.problem(file, 0, "copy it again: it has to be a .tar.gz of knb", "%v", err)
		}
		knbTrials(all, k, archive)
		knbEnvironment(environment, k.variant, archive)
	}
	d, err := all.data(path.Base(s.path))
	if err != nil {
		return nil, err
	}
	d.environment = environment
	d.warnings = []result.Warning{{
		Code: "source-one-deployment", Message: "the runs of a variant in the published data are of one deployment, one after the other: they scatter less than deployments do",
		Hint: "results hold within one installation",
	}}
	return d, nil
}

// knbArchive unpacks what is read of an archive, which is small.
func knbArchive(content []byte) (map[string]string, error) {
	z, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("it is not compressed: %w", err)
	}
	t := tar.NewReader(io.LimitReader(z, maxFile))
	files := map[string]string{}
	for range 1000 {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the archive is damaged: %w", err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		text, err := io.ReadAll(io.LimitReader(t, 1<<20))
		if err != nil {
			return nil, fmt.Errorf("the archive is damaged: %w", err)
		}
		name := path.Base(h.Name)
		if m := knbFile.FindStringSubmatch(name); m != nil {
			name = m[1] + m[2]
		}
		files[name] = string(text)
	}
	return nil, errors.New("the archive has more than 1000 files")
}

// knbLoss is the loss in the last line of iperf3's text, at the receiver.
var knbLoss = regexp.MustCompile(`\(([0-9.e+-]+)%\)\s+receiver`)

func knbTrials(all *drafts, k key, archive map[string]string) {
	for _, test := range knbTests {
		k.cell = test
		d := all.at(k)
		if test != "idle" {
			main := throughput
			if strings.HasPrefix(test, "udp") {
				main = goodput
			}
			text, has := archive[test+".bw"]
			text = strings.TrimSpace(text)
			megabits, err := strconv.ParseFloat(text, 64)
			if !has || err != nil || !(megabits > 0) {
				d.fail("knb has %q for the bandwidth: the test failed", text)
				continue
			}
			d.add(main, megabits*1e6, "")
			if main.Name == goodput.Name {
				d.knbLoss(archive[test+".log"])
			}
		}
		var memory float64
		for _, role := range []string{"client", "server"} {
			used, ok := d.knbMachine(role, archive[test+"-"+role+".avg"])
			if memory += used; !ok {
				d.lack(memoryUsed.Name, "knb has no average of the "+role)
			}
		}
		if _, lacks := d.missing[memoryUsed.Name]; !lacks {
			d.add(memoryUsed, memory, "")
		}
	}
}

// knbLoss reads what knb itself throws away.
func (d *draft) knbLoss(log string) {
	m := knbLoss.FindStringSubmatch(log)
	if m == nil {
		d.lack(loss.Name, "iperf3's text does not say it, and knb keeps none")
		return
	}
	if share, err := strconv.ParseFloat(m[1], 64); err == nil {
		d.add(loss, share, "")
	}
}

// knbMachine reads user, nice, system, iowait and steal in percent, memory in
// MiB and the number of records, from the last line, which has no header.
func (d *draft) knbMachine(role, text string) (memory float64, ok bool) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	fields := strings.Fields(lines[len(lines)-1])
	m := knbCPU(role)
	var x [7]float64
	if len(fields) != len(x) {
		d.lack(m.Name, "knb has no average of the "+role)
		return 0, false
	}
	for i, f := range fields {
		var err error
		if x[i], err = strconv.ParseFloat(f, 64); err != nil {
			d.lack(m.Name, fmt.Sprintf("knb's average of the %s has %q", role, f))
			return 0, false
		}
	}
	if !(x[6] > 0) {
		d.lack(m.Name, "knb's average of the "+role+" is of no record")
		return 0, false
	}
	d.add(m, x[0]+x[1]+x[2]+x[4], "") // without iowait
	return x[5] * (1 << 20), true
}

func knbEnvironment(all map[string]result.Variant, variant string, archive map[string]string) {
	v, known := all[variant]
	if !known {
		v = result.Variant{Name: variant, Facts: map[string]string{}, Versions: map[string]string{}}
	}
	if version := strings.TrimSpace(archive["k8s-version"]); version != "" {
		v.Versions["kubernetes"] = version
	}
	if mtu := strings.TrimSpace(archive["mtu"]); mtu != "" {
		v.Facts["MTU as knb found it"] = mtu
	}
	kernel := strings.TrimSpace(archive["kernel"])
	if kernel != "" && !slices.ContainsFunc(v.Nodes, func(n result.Node) bool { return n.Kernel == kernel }) {
		v.Nodes = append(v.Nodes, result.Node{Name: "nodes", Kernel: kernel})
	}
	all[variant] = v
}
