package scenario

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/scenario/workload"
)

// putFiles writes a workload's files into both pods at once.
func (b *Bench) putFiles(ctx context.Context, pair Pair, files []workload.File) error {
	ended := make(chan error, 2)
	for _, pod := range []cluster.Pod{pair.Client, pair.Server} {
		go func() {
			for _, f := range files {
				if err := b.putFile(ctx, pod, f); err != nil {
					ended <- err
					return
				}
			}
			ended <- nil
		}()
	}
	return errors.Join(<-ended, <-ended)
}

func (b *Bench) putFile(ctx context.Context, pod cluster.Pod, f workload.File) error {
	spec := probe.PutSpec{Path: workload.Dir + "/" + f.Name, Size: len(f.Content), Executable: f.Executable}
	s, err := open(ctx, fmt.Sprintf("writing %s in %s", spec.Path, pod.Name), inPod(b.Cluster, pod), "put", spec)
	if err != nil {
		return err
	}
	defer s.close()
	if _, err := s.stdin.Write(f.Content); err != nil {
		return s.explain(err)
	}
	var written probe.File
	return s.read(probe.FrameFile, &written)
}

// workloadOutput collects what a workload's figures are found in, and keeps
// the files among it.
func (b *Bench) workloadOutput(ctx context.Context, pair Pair, w workload.Workload, ran workloadRun) (workload.Output, error) {
	out := workload.Output{workload.Stdout: ran.client.Stdout, workload.Stderr: ran.client.Stderr}
	for i, name := range w.Outputs() {
		s, err := open(ctx, fmt.Sprintf("reading %s in %s", name, pair.Client.Name), inPod(b.Cluster, pair.Client), "get", probe.GetSpec{Path: name})
		if err != nil {
			return nil, err
		}
		var file probe.File
		err = s.read(probe.FrameFile, &file)
		s.close()
		if err != nil {
			return nil, err
		}
		if file.Missing {
			return nil, fmt.Errorf("client in %s: it left no file %s", pair.Client.Name, name)
		}
		b.keep(fmt.Sprintf("output-%d-%s", i+1, filepath.Base(name)), file.Content)
		out[name] = string(file.Content)
	}
	return out, nil
}

// keepOutput writes what a process printed, and the rest of its report.
func (b *Bench) keepOutput(end string, p probe.ProcessReport) error {
	for _, stream := range []struct{ name, text string }{{workload.Stdout, p.Stdout}, {workload.Stderr, p.Stderr}} {
		if stream.text != "" {
			b.keep(end+"."+stream.name, []byte(stream.text))
		}
	}
	p.Stdout, p.Stderr = "", "" // files of their own have it
	return b.keepJSON(end+".json", p)
}

// keepOutputOf keeps what the processes of a load printed that did not take
// place.
func (b *Bench) keepOutputOf(end string, err error) error {
	var failed *loadError
	if !errors.As(err, &failed) {
		return err
	}
	for _, p := range failed.report.Processes {
		err = errors.Join(err, b.keepOutput(end, p))
	}
	return err
}
