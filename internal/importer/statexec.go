package importer

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/cnibench/cnibench/internal/result"
)

// seFile is a file of one machine.
type seFile struct {
	path, role string
}

// seJob is a trial: the machines that took part in a command.
type seJob struct {
	key
	files []seFile
}

// readStatexec reads the labels of every file first, and its series as trials
// are asked for.
func readStatexec(s *source, o Options) (*data, error) {
	files, err := s.files(".prom", ".om")
	if err != nil {
		return nil, err
	}
	var named map[string]place
	if o.Pattern != "" {
		if named, err = s.places(files, o.Pattern); err != nil {
			return nil, err
		}
	}
	jobs, err := seJobs(s, files, named)
	if err != nil {
		return nil, err
	}
	all := newDrafts()
	for _, j := range jobs {
		all.at(j.key).lack(cpu.Name, "not read yet")
	}
	d, err := all.data(path.Base(s.path))
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(jobs, func(a, b *seJob) int { return cmp.Compare(a.block, b.block) })
	d.trials = func(yield func(result.Trial, error) bool) {
		type outcome struct {
			draft *draft
			err   error
		}
		work := func(i int) outcome {
			t, err := readCommand(s, *jobs[i])
			return outcome{t, err}
		}
		for o := range inOrder(len(jobs), runtime.GOMAXPROCS(0), work) {
			if o.err != nil {
				yield(result.Trial{}, o.err)
				return
			}
			if !yield(o.draft.trial(), nil) {
				return
			}
		}
	}
	return d, nil
}

// seJobs puts the files of one trial together, by pattern, or else by the
// labels id, run, instance and role.
func seJobs(s *source, files []string, named map[string]place) ([]*seJob, error) {
	variants, scenarios := names{}, names{}
	index := map[key]*seJob{}
	var jobs []*seJob
	for _, file := range files {
		labels, err := seLabels(s, file)
		if err != nil {
			return nil, err
		}
		at := named[file]
		if at.block == 0 || labels["run"] != "" && named == nil {
			at.block, err = strconv.Atoi(cmp.Or(labels["run"], "1"))
			if err != nil || at.block < 1 {
				return nil, s.problem(file, 0, "say what the file is with --name, such as --name '{variant}/{block}-{scenario}.prom'", "its label run is %q, no number from 1", labels["run"])
			}
		}
		role := cmp.Or(at.role, labels["role"], "standalone")
		base := strings.TrimSuffix(path.Base(file), path.Ext(file))
		k := key{block: at.block}
		if k.variant, err = variants.of(cmp.Or(at.variant, labels["id"], strings.TrimSuffix(base, "-"+role))); err == nil {
			k.cell, err = scenarios.of(cmp.Or(at.scenario, labels["instance"], "command"))
		}
		if err != nil {
			return nil, s.problem(file, 0, "say what the file is with --name", "%v", err)
		}
		j := index[k]
		if j == nil {
			j = &seJob{key: k}
			index[k], jobs = j, append(jobs, j)
		}
		for _, other := range j.files {
			if other.role == role {
				return nil, s.problem(file, 0, "name the files apart with --name, such as --name '{variant}/{block}-{scenario}-{role}.prom'",
					"it is the %s of %s, %s in block %d, and so is %s", role, k.variant, k.cell, k.block, other.path)
			}
		}
		j.files = append(j.files, seFile{file, role})
	}
	return jobs, nil
}

// seLabels reads the labels of the first series of a file.
func seLabels(s *source, file string) (map[string]string, error) {
	f, err := s.root.Open(file)
	if err != nil {
		return nil, s.problem(file, 0, "make it readable", "%v", plainError(err))
	}
	head, err := io.ReadAll(io.LimitReader(f, maxLine))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, s.problem(file, 0, "make it readable", "%v", plainError(err))
	}
	for line := range bytes.Lines(head) {
		if end := bytes.LastIndexByte(line, '}'); bytes.HasPrefix(line, []byte("statexec_")) && end > 0 {
			if begin := bytes.IndexByte(line, '{'); begin >= 0 && begin < end {
				return labelsOf(line[begin+1 : end]), nil
			}
		}
	}
	return nil, s.problem(file, 0, "take it away, or give the directory that has files of statexec", "it begins with no series of statexec")
}

// readCommand sums up the machines over the time in which the client's command
// ran. A server's own command runs longer than the load.
func readCommand(s *source, j seJob) (*draft, error) {
	d := newDraft(j.key)
	files := slices.Clone(j.files)
	slices.SortStableFunc(files, func(a, b seFile) int { return cmp.Compare(roleRank(a.role), roleRank(b.role)) })
	var window [2]int64
	var total usage
	partial := ""
	for i, f := range files {
		one, err := readNode(s, f.path)
		var unreadable *seriesError
		if errors.As(err, &unreadable) {
			d.fail("%s: %v", f.path, err)
			return d, nil
		}
		if err != nil {
			return nil, err
		}
		if i == 0 {
			window[0], window[1] = one.phase()
			if window[0] == 0 || window[1] == 0 {
				d.fail("%s is cut short: it does not say when the command ran, or when it ended", f.path)
				return d, nil
			}
			switch {
			case f.role == "server":
				partial = "the server's machine alone, over the life of its command, which is longer than the load; the client's series are not there"
			case f.role == "client" && len(files) == 1:
				partial = "the client's machine alone; the server's series are not there"
			}
		}
		u, err := one.between(window[0], window[1])
		if err != nil {
			d.fail("%s: %v", f.path, err)
			return d, nil
		}
		if i == 0 {
			total = u
		} else {
			total = total.add(u)
		}
	}
	d.usage(total, partial)
	return d, nil
}

// roleRank puts the machine that says when the load ran first.
func roleRank(role string) int {
	if role == "server" {
		return 1
	}
	return 0
}

// readNode streams the series of one machine.
func readNode(s *source, file string) (series, error) {
	f, err := s.open(file)
	if err != nil {
		return series{}, err
	}
	one, err := readSeries(f)
	return one, cmp.Or(f.Close(), err)
}
