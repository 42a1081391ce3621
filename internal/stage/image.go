package stage

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/cnibench/cnibench/internal/probe"
)

// useImage makes load pods run an image of the user's. The probe comes from
// the tools image, into a volume that both containers have, and is mounted
// where every PATH leads.
func (s *Stage) useImage(ctx context.Context, ends Ends, pods []*corev1.Pod) error {
	const volume = "load"
	for _, p := range pods {
		mount := bringProbe(p, volume)
		main := &p.Spec.Containers[0]
		main.Image = ends.Image
		main.VolumeMounts = append(main.VolumeMounts, mount,
			corev1.VolumeMount{Name: volume, MountPath: "/usr/bin/" + probeName, SubPath: probeName})
	}
	return s.shareEcho(ctx, ends, pods)
}

// probeName is the probe's, in every image and volume.
const probeName = "cnibench-probe"

// bringProbe gives a pod a volume that has the probe, from the image that its
// load runs, and returns the mount of it.
func bringProbe(p *corev1.Pod, volume string) corev1.VolumeMount {
	mount := corev1.VolumeMount{Name: volume, MountPath: probe.LoadDir}
	p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{
		Name: volume, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}},
	})
	main := p.Spec.Containers[0]
	p.Spec.InitContainers = append(p.Spec.InitContainers, corev1.Container{
		Name: "probe", Image: main.Image, ImagePullPolicy: main.ImagePullPolicy,
		Command: []string{probeName, "install", probe.LoadDir + "/" + probeName}, VolumeMounts: []corev1.VolumeMount{mount},
	})
	return mount
}

// shareEcho lets a server on its host do without an echo of its own: the
// node's echo port is one, and the server of the pair that all trials share
// has it.
func (s *Stage) shareEcho(ctx context.Context, ends Ends, pods []*corev1.Pod) error {
	if ends.Server != OnHost {
		return nil
	}
	ends.Image, ends.BesideClient, ends.BesideServer = "", Beside{}, Beside{}
	if _, err := s.Pair(ctx, ends); err != nil {
		return err
	}
	pods[1].Spec.Containers[0].Command = []string{probeName, "pause"}
	return nil
}
