package examination

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// settings reads how the plugin is configured. Empty: it does not show.
func (e *examiner) settings(ctx context.Context) map[string]string {
	namespace, _, found := strings.Cut(e.present.DaemonSet, "/")
	if !found {
		return nil
	}
	all := map[string]string{}
	config := func(name string) map[string]string {
		m, err := e.Cluster.Kube().CoreV1().ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil // it is another plugin's, or not for us to read
		}
		return m.Data
	}
	maps.Copy(all, config("cilium-config"))
	if backend := flannelBackend(config("kube-flannel-cfg")["net-conf.json"]); backend != "" {
		all["backend"] = backend
	}
	for _, path := range []string{"/apis/crd.projectcalico.org/v1/ippools", "/apis/crd.projectcalico.org/v1/felixconfigurations"} {
		if raw, err := e.Cluster.Kube().Discovery().RESTClient().Get().AbsPath(path).DoRaw(ctx); err == nil {
			maps.Copy(all, specs(raw))
		}
	}
	return all
}

func flannelBackend(text string) string {
	var net struct{ Backend struct{ Type string } }
	if json.Unmarshal([]byte(text), &net) != nil {
		return ""
	}
	return net.Backend.Type
}

// specs reads the simple settings of a list of objects, the first of each name.
func specs(raw []byte) map[string]string {
	var list struct {
		Items []struct{ Spec map[string]any }
	}
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	all := map[string]string{}
	for _, item := range list.Items {
		for name, value := range item.Spec {
			if _, is := value.(string); !is {
				if _, is = value.(bool); !is {
					continue
				}
			}
			if all[name] == "" {
				all[name] = fmt.Sprint(value)
			}
		}
	}
	return all
}
