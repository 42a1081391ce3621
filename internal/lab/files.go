package lab

import (
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/cnibench/cnibench/internal/lab/pki"
)

// files maps paths inside a node to contents.
type files map[string][]byte

// write lays the files into a node's upper directory, readable by root alone
// where they hold keys.
func (f files) write(upper string) error {
	for name, content := range f {
		target := filepath.Join(upper, name)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
		mode := os.FileMode(0o600)
		if path.Dir(name) == "/etc" {
			mode = 0o644
		}
		if err := os.WriteFile(target, content, mode); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}
	return nil
}

// credentials are what the programs of a lab identify themselves by.
type credentials struct {
	ca             *pki.Authority
	serviceAccount pki.Pair
	admin          pki.Pair
}

func newCredentials(lab string) (credentials, error) {
	ca, err := pki.NewAuthority("cnibench lab " + lab)
	if err != nil {
		return credentials{}, err
	}
	sa, err := pki.SigningKey()
	if err != nil {
		return credentials{}, err
	}
	admin, err := ca.Client("cnibench-admin", "system:masters")
	if err != nil {
		return credentials{}, err
	}
	return credentials{ca, sa, admin}, nil
}

// commonFiles are on every node.
func commonFiles(name string, n network) files {
	hosts := fmt.Sprintf("127.0.0.1 localhost\n%s %s\n", n.api().Addr(), controlPlane)
	return files{
		"/etc/hostname": []byte(name + "\n"),
		"/etc/hosts":    []byte(hosts),
		// No name server: a lab reaches nothing outside.
		"/etc/resolv.conf": []byte("options timeout:1 attempts:1\n"),
	}
}

func (c credentials) controlPlaneFiles(cfg Config) (files, error) {
	n := cfg.network()
	names := append(addressesOf(n.host(controlHost)), "127.0.0.1", "localhost", n.service(1).String(),
		"kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local")
	api, err := c.ca.Server("kube-apiserver", names...)
	if err != nil {
		return nil, err
	}
	kubelets, err := c.ca.Client("kube-apiserver-kubelet-client", "system:masters")
	if err != nil {
		return nil, err
	}
	f := commonFiles(controlPlane, n)
	f.addPair("ca", c.ca.Pair)
	f.addPair("apiserver", api)
	f.addPair("kubelet-client", kubelets)
	f[pkiDir+"/service-account.pub"] = c.serviceAccount.Cert
	f[pkiDir+"/service-account.key"] = c.serviceAccount.Key
	for _, name := range []string{"kube-controller-manager", "kube-scheduler"} {
		// Without one they make an RSA key at every start, which takes longer.
		serving, err := c.ca.Server(name, name, "localhost", "127.0.0.1")
		if err != nil {
			return nil, err
		}
		f.addPair(name, serving)
		if err := c.addKubeconfig(f, cfg, name, "system:"+name); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (c credentials) workerFiles(cfg Config, i int, group string) (files, error) {
	name := workerName(i)
	serving, err := c.ca.Server(name, append(addressesOf(cfg.network().worker(i)), name, "127.0.0.1")...)
	if err != nil {
		return nil, err
	}
	f := commonFiles(name, cfg.network())
	f[pkiDir+"/ca.crt"] = c.ca.Cert
	f.addPair("kubelet", serving)
	if err := c.addKubeconfig(f, cfg, "kubelet", "system:node:"+name, "system:nodes"); err != nil {
		return nil, err
	}
	if err := c.addKubeconfig(f, cfg, "kube-proxy", "system:kube-proxy"); err != nil {
		return nil, err
	}
	f["/etc/kubernetes/kubelet.yaml"] = []byte(kubeletConfig(cfg, group))
	runtime, err := containerRuntime()
	if err != nil {
		return nil, err
	}
	f["/etc/containerd/config.toml"] = []byte(containerdConfig(runtime))
	return f, nil
}

func (f files) addPair(name string, p pki.Pair) {
	f[pkiDir+"/"+name+".crt"], f[pkiDir+"/"+name+".key"] = p.Cert, p.Key
}

func (c credentials) addKubeconfig(f files, cfg Config, program, user string, groups ...string) error {
	pair, err := c.ca.Client(user, groups...)
	if err != nil {
		return err
	}
	f["/etc/kubernetes/"+program+".conf"] = kubeconfig(cfg.Name, cfg.APIAddress().String(), c.ca.Cert, pair)
	return nil
}
