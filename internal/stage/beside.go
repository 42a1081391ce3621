package stage

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/cnibench/cnibench/internal/cluster"
)

// Beside is a container that runs next to the load in its pod, in the same
// network, and does nothing until programs are started in it. The zero value
// is none.
type Beside struct {
	Image string
	// Privileged lets it make network devices.
	Privileged bool
}

const besideName = "beside"

// besideOf is the pod with the container next to the load, for programs to be
// started in.
func besideOf(pod cluster.Pod) cluster.Pod {
	pod.Container = besideName
	return pod
}

// putBeside adds the containers of both ends to their pods. Those of the load
// and next to it share probe.LoadDir, and have the probe.
func (s *Stage) putBeside(ends Ends, pods []*corev1.Pod) error {
	const volume = "shared"
	for i, beside := range []Beside{ends.BesideClient, ends.BesideServer} {
		if beside.Image == "" {
			continue
		}
		lacking, err := s.cluster.Lacks([]string{beside.Image})
		if err != nil {
			return err
		}
		if len(lacking) > 0 {
			return &UnsupportedError{"this lab has no image " + strings.Join(lacking, ", ")}
		}
		mount := bringProbe(pods[i], volume)
		main := &pods[i].Spec.Containers[0]
		main.VolumeMounts = append(main.VolumeMounts, mount)
		pods[i].Spec.Containers = append(pods[i].Spec.Containers, corev1.Container{
			Name: besideName, Image: beside.Image, ImagePullPolicy: corev1.PullIfNotPresent,
			Command:         []string{probeName, "pause"},
			SecurityContext: &corev1.SecurityContext{Privileged: &beside.Privileged},
			VolumeMounts:    []corev1.VolumeMount{mount, {Name: volume, MountPath: "/usr/bin/" + probeName, SubPath: probeName}},
		})
	}
	return nil
}

// explainBeside says why pods did not come up. Where an image is the reason, the
// cluster cannot do it.
func explainBeside(why error) error {
	if unpulled(why) {
		return &UnsupportedError{"nodes cannot get the image of a program beside the load: " + why.Error()}
	}
	return why
}

// unpulled tells whether pods did not come up for want of an image, by the
// kubelet's reasons for waiting (k8s.io/kubernetes/pkg/kubelet/images/types.go).
func unpulled(err error) bool {
	return slices.ContainsFunc([]string{"ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName"}, func(reason string) bool {
		return strings.Contains(err.Error(), reason)
	})
}
