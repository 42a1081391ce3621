package scenario

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/scenario/workload"
	"github.com/cnibench/cnibench/internal/stage"
)

// putFiles writes a workload's files into both pods at once.
func putFiles(ctx context.Context, b *stage.Bench, pair stage.Pair, files []workload.File) error {
	ended := make(chan error, 2)
	for _, pod := range []cluster.Pod{pair.Client, pair.Server} {
		go func() {
			for _, f := range files {
				if err := putFile(ctx, b, pod, f); err != nil {
					ended <- err
					return
				}
			}
			ended <- nil
		}()
	}
	return errors.Join(<-ended, <-ended)
}

func putFile(ctx context.Context, b *stage.Bench, pod cluster.Pod, f workload.File) error {
	spec := probe.PutSpec{Path: workload.Dir + "/" + f.Name, Size: len(f.Content), Executable: f.Executable}
	return stage.PutFile(ctx, b.Cluster, pod, spec, f.Content)
}

// workloadOutput collects what a workload's figures are found in, and keeps
// the files among it.
func workloadOutput(ctx context.Context, b *stage.Bench, pair stage.Pair, w workload.Workload, ran workloadRun) (workload.Output, error) {
	out := workload.Output{workload.Stdout: ran.client.Stdout, workload.Stderr: ran.client.Stderr}
	for i, name := range w.Outputs() {
		s, err := stage.Open(ctx, fmt.Sprintf("reading %s in %s", name, pair.Client.Name), stage.ProbeInPod(b.Cluster, pair.Client), "get", probe.GetSpec{Path: name})
		if err != nil {
			return nil, err
		}
		var file probe.File
		err = s.Read(probe.FrameFile, &file)
		s.Close()
		if err != nil {
			return nil, err
		}
		if file.Missing {
			return nil, fmt.Errorf("client in %s: it left no file %s", pair.Client.Name, name)
		}
		b.Keep(fmt.Sprintf("output-%d-%s", i+1, filepath.Base(name)), file.Content)
		out[name] = string(file.Content)
	}
	return out, nil
}

// keepOutput writes what a process printed, and the rest of its report.
func keepOutput(b *stage.Bench, end string, p probe.ProcessReport) error {
	for _, stream := range []struct{ name, text string }{{workload.Stdout, p.Stdout}, {workload.Stderr, p.Stderr}} {
		if stream.text != "" {
			b.Keep(end+"."+stream.name, []byte(stream.text))
		}
	}
	p.Stdout, p.Stderr = "", "" // files of their own have it
	return b.KeepJSON(end+".json", p)
}

// keepOutputOf keeps what the processes of a load printed that did not take
// place.
func keepOutputOf(b *stage.Bench, end string, err error) error {
	var failed *stage.LoadError
	if !errors.As(err, &failed) {
		return err
	}
	for _, p := range failed.Report.Processes {
		err = errors.Join(err, keepOutput(b, end, p))
	}
	return err
}
