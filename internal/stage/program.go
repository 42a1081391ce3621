package stage

import (
	"context"
	"fmt"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
)

// CopyProgram writes a program into a load pod, where it is not yet, and
// returns where it lies: it is a load generator of ours that not every image
// has.
func (s *Stage) CopyProgram(ctx context.Context, pod cluster.Pod, name string, program []byte) (string, error) {
	key := programKey{pod.UID, name}
	path := probe.LoadDir + "/" + name
	if s.programs[key] {
		return path, nil
	}
	if err := PutFile(ctx, s.cluster, pod, probe.PutSpec{Path: path, Size: len(program), Executable: true}, program); err != nil {
		return "", err
	}
	s.programs[key] = true
	return path, nil
}

// programKey is a program in a pod.
type programKey struct{ uid, name string }

// PutFile writes a file in a load pod.
func PutFile(ctx context.Context, c *cluster.Cluster, pod cluster.Pod, spec probe.PutSpec, content []byte) error {
	session, err := Open(ctx, fmt.Sprintf("writing %s in %s", spec.Path, pod.Name), ProbeInPod(c, pod), "put", spec)
	if err != nil {
		return err
	}
	defer session.Close()
	if err := session.Send(content); err != nil {
		return session.Explain(err)
	}
	var written probe.File
	return session.Read(probe.FrameFile, &written)
}
