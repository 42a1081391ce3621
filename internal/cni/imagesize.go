package cni

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cnibench/cnibench/internal/cluster"
)

// ImageSizes returns the size of each image in bytes, as the container runtime
// of a node that has it tells, and the images that no node tells of: a kubelet
// lists the 50 largest.
func ImageSizes(ctx context.Context, c *cluster.Cluster, references []string) (sizes map[string]int64, unknown []string, err error) {
	nodes, err := c.Kube().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, nil, fmt.Errorf("listing nodes: %w", err)
	}
	sizes, unknown = imageSizes(nodes.Items, references)
	return sizes, unknown, nil
}

func imageSizes(nodes []corev1.Node, references []string) (sizes map[string]int64, unknown []string) {
	listed := map[string]int64{}
	for _, n := range nodes {
		for _, image := range n.Status.Images {
			for _, name := range image.Names {
				listed[wholeName(name)] = image.SizeBytes
			}
		}
	}
	sizes = map[string]int64{}
	for _, r := range references {
		size, ok := listed[wholeName(r)]
		if !ok {
			unknown = append(unknown, r)
			continue
		}
		sizes[r] = size
	}
	return sizes, unknown
}

// wholeName writes an image's name as runtimes list it: with its registry, and
// with the digest alone where it has tag and digest.
func wholeName(name string) string {
	first, rest, slash := strings.Cut(name, "/")
	switch {
	case !slash:
		name = "docker.io/library/" + name
	case first != "localhost" && !strings.ContainsAny(first, ".:"):
		name = "docker.io/" + first + "/" + rest
	}
	bare, digest, pinned := strings.Cut(name, "@")
	if pinned {
		if colon := strings.LastIndex(bare, ":"); colon > strings.LastIndex(bare, "/") {
			bare = bare[:colon]
		}
		return bare + "@" + digest
	}
	if !strings.Contains(name[strings.LastIndex(name, "/"):], ":") {
		name += ":latest"
	}
	return name
}
