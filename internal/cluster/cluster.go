package cluster

import (
	"fmt"
	"log/slog"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

// Cluster is a connection to a Kubernetes API and, where the provider allows
// it, to the machines behind it.
type Cluster struct {
	Machines
	config  *rest.Config
	kube    kubernetes.Interface
	dynamic dynamic.Interface
	mapper  meta.RESTMapper
	// cpusOf says on which CPUs the programs of a pod run; nil: on any.
	cpusOf func(Pod) []int
}

// unlimited is the rate of requests that has no limit. Limits of the client
// would slow down a benchmark that creates objects on purpose; the API server
// has its own.
const unlimited = -1

// quiet keeps the client library from writing to the terminal that a stream
// has ended: whoever opened the stream gets the error.
var quiet = sync.OnceFunc(func() { klog.SetSlogLogger(slog.New(slog.DiscardHandler)) })

// Connect makes a cluster from a kubeconfig. No request is sent yet.
func Connect(kubeconfig []byte, machines Machines) (*Cluster, error) {
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("reading kubeconfig: %w", err)
	}
	return connect(config, machines)
}

// connect makes the clients of a configuration.
func connect(config *rest.Config, machines Machines) (*Cluster, error) {
	quiet()
	config.QPS = unlimited
	kube, err := kubernetes.NewForConfig(inProtobuf(config))
	if err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	dyn, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(kube.Discovery()))
	return &Cluster{Machines: machines, config: config, kube: kube, dynamic: dyn, mapper: mapper}, nil
}

// inProtobuf is the configuration of a client of Kubernetes's own types, which
// have a shorter form than JSON, that takes the API server less time to write
// and to read. Resources that others define do not have it.
func inProtobuf(config *rest.Config) *rest.Config {
	typed := rest.CopyConfig(config)
	typed.ContentType = runtime.ContentTypeProtobuf
	typed.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	return typed
}

// Kube is the typed client, for what the methods of Cluster do not cover.
func (c *Cluster) Kube() kubernetes.Interface { return c.kube }
