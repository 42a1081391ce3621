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
	const volume, name = "load", "cnibench-probe"
	for _, p := range pods {
		mount := corev1.VolumeMount{Name: volume, MountPath: probe.LoadDir}
		p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{
			Name: volume, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}},
		})
		main := &p.Spec.Containers[0]
		p.Spec.InitContainers = append(p.Spec.InitContainers, corev1.Container{
			Name: "probe", Image: main.Image, ImagePullPolicy: main.ImagePullPolicy,
			Command: []string{name, "install", probe.LoadDir + "/" + name}, VolumeMounts: []corev1.VolumeMount{mount},
		})
		main.Image = ends.Image
		main.VolumeMounts = append(main.VolumeMounts, mount,
			corev1.VolumeMount{Name: volume, MountPath: "/usr/bin/" + name, SubPath: name})
	}
	if ends.Server != OnHost {
		return nil
	}
	// The node's echo port is one, and the tools image's server has it.
	ends.Image = ""
	if _, err := s.Pair(ctx, ends); err != nil {
		return err
	}
	pods[1].Spec.Containers[0].Command = []string{name, "pause"}
	return nil
}
