package lab

import (
	"bytes"
	"encoding/base64"
	"encoding/pem"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

func TestWorkerFiles(t *testing.T) {
	creds, err := newCredentials("a")
	if err != nil {
		t.Fatal(err)
	}
	worker, err := creds.workerFiles(Defaults("a"), 2, "/cnibench/a/node2")
	if err != nil {
		t.Fatal(err)
	}
	control, err := creds.controlPlaneFiles(Defaults("a"))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("names", func(t *testing.T) {
		want := []string{
			"/etc/containerd/config.toml", "/etc/hostname", "/etc/hosts",
			"/etc/kubernetes/kube-proxy.conf", "/etc/kubernetes/kubelet.conf", "/etc/kubernetes/kubelet.yaml",
			"/etc/kubernetes/pki/ca.crt", "/etc/kubernetes/pki/kubelet.crt", "/etc/kubernetes/pki/kubelet.key",
			"/etc/resolv.conf",
		}
		var got []string
		for name := range worker {
			got = append(got, name)
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("files of a worker (-want +got):\n%s", diff)
		}
	})
	// Pods can be made to read their node's files: the keys that rule the
	// cluster stay in the control plane.
	t.Run("no key of the cluster", func(t *testing.T) {
		for name, key := range control {
			if !strings.HasSuffix(name, ".key") {
				continue
			}
			for other, content := range worker {
				if bytes.Contains(content, bytes.TrimSpace(key)) || bytes.Contains(content, []byte(base64.StdEncoding.EncodeToString(key))) {
					t.Errorf("%s of a worker holds %s", other, name)
				}
			}
		}
	})
	t.Run("modes", func(t *testing.T) {
		upper := t.TempDir()
		if err := worker.write(upper); err != nil {
			t.Fatal(err)
		}
		for name := range worker {
			info, err := os.Stat(filepath.Join(upper, name))
			if err != nil {
				t.Fatal(err)
			}
			public := filepath.Dir(name) == "/etc"
			if others := info.Mode().Perm()&0o077 != 0; others != public {
				t.Errorf("%s has the mode %v", name, info.Mode())
			}
		}
	})
}

func TestKubeconfig(t *testing.T) {
	creds, err := newCredentials("a")
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Clusters []struct {
			Name    string
			Cluster struct {
				Server string
				CA     string `yaml:"certificate-authority-data"`
			}
		}
		Users []struct {
			Name string
			User struct {
				Certificate string `yaml:"client-certificate-data"`
				Key         string `yaml:"client-key-data"`
			}
		}
		Contexts []struct {
			Name    string
			Context struct{ Cluster, User string }
		}
		Current string `yaml:"current-context"`
	}
	if err := yaml.Unmarshal(kubeconfig("a", "127.0.0.1:4321", creds.ca.Cert, creds.admin), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Clusters) != 1 || len(got.Users) != 1 || len(got.Contexts) != 1 {
		t.Fatalf("want one of each: %+v", got)
	}
	cluster, user, context := got.Clusters[0], got.Users[0], got.Contexts[0]
	if cluster.Cluster.Server != "https://127.0.0.1:4321" {
		t.Errorf("the server is %s", cluster.Cluster.Server)
	}
	if got.Current != context.Name || context.Context.Cluster != cluster.Name || context.Context.User != user.Name {
		t.Errorf("names do not fit: %s, %+v", got.Current, context)
	}
	for what, data := range map[string]string{"CA": cluster.Cluster.CA, "certificate": user.User.Certificate, "key": user.User.Key} {
		b, err := base64.StdEncoding.DecodeString(data)
		if block, _ := pem.Decode(b); err != nil || block == nil {
			t.Errorf("the %s is no PEM: %v", what, err)
		}
	}
}
