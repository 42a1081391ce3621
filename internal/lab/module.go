package lab

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
)

// bridgeFilter is the kernel module that shows bridged packets to iptables.
// Kubernetes wants it on every node
// (https://kubernetes.io/docs/setup/production-environment/container-runtimes),
// Flannel ends without it, and unlike others it is never loaded on demand.
const bridgeFilter = "br_netfilter"

// loadBridgeFilter loads the module where it is one and is not there yet, and
// sees to it that the machine's own bridges work on as before: it would act on
// all of them. New network namespaces, the nodes' among them, have it on. A
// kernel without it still runs the plugins that can do without it.
func loadBridgeFilter() error {
	if _, err := os.Stat(sysctlFile("net.bridge")); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := exec.Command("modprobe", bridgeFilter).Run(); err != nil {
		return nil
	}
	for _, protocol := range []string{"iptables", "ip6tables", "arptables"} {
		name := "net.bridge.bridge-nf-call-" + protocol
		if err := os.WriteFile(sysctlFile(name), []byte("0"), 0); err != nil {
			return fmt.Errorf("keeping %s off the machine's bridges: %w", bridgeFilter, err)
		}
	}
	return nil
}
