package lab

import (
	"encoding/base64"
	"fmt"

	"github.com/cnibench/cnibench/internal/lab/pki"
)

// kubeconfig returns a configuration for one user of one API server, with all
// certificates inside.
func kubeconfig(lab, server string, ca []byte, user pki.Pair) []byte {
	b64 := base64.StdEncoding.EncodeToString
	return fmt.Appendf(nil, `apiVersion: v1
kind: Config
clusters:
- name: %[1]s
  cluster:
    server: https://%[2]s
    certificate-authority-data: %[3]s
users:
- name: %[1]s
  user:
    client-certificate-data: %[4]s
    client-key-data: %[5]s
contexts:
- name: %[1]s
  context: {cluster: %[1]s, user: %[1]s}
current-context: %[1]s
`, "cnibench-"+lab, server, b64(ca), b64(user.Cert), b64(user.Key))
}
