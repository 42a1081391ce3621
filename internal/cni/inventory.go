package cni

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe/nodestate"
)

// The inventory is a ConfigMap in a namespace that every cluster has and nobody
// deletes: it must outlive our own.
const (
	inventoryName      = "cnibench-inventory"
	inventoryNamespace = metav1.NamespaceSystem
	inventoryKey       = "inventory.json.gz"
	inventorySchema    = 1
)

// Inventory is what cnibench put into a cluster, written there before it does.
// It has all that a removal needs, so that any cnibench can finish what another
// began, whatever that one's catalog was.
type Inventory struct {
	Schema    int                        `json:"schema"`
	Variant   string                     `json:"variant"`
	Version   string                     `json:"version"`
	Digest    string                     `json:"digest"` // of the manifests
	Begun     time.Time                  `json:"begun"`
	Complete  bool                       `json:"complete"`          // nodes became ready
	Objects   []cluster.Object           `json:"objects"`           // in the order in which they are applied
	Existed   []cluster.Object           `json:"existed,omitempty"` // of Objects, and definitions: they stay
	Pods      []PodSelector              `json:"pods"`              // of the plugin
	Leaves    Leftovers                  `json:"leaves"`
	PodCIDR   string                     `json:"podCIDR"`
	Before    map[string]nodestate.State `json:"before,omitempty"`   // by node; nil: it was not looked at
	Cordoned  []string                   `json:"cordoned,omitempty"` // nodes, by the removal
	Cleaning  bool                       `json:"cleaning,omitempty"` // the removal has come as far as the nodes
	NodeNames []string                   `json:"nodeNames"`
}

// PodSelector finds pods of the plugin.
type PodSelector struct {
	Namespace string `json:"namespace"`
	Selector  string `json:"selector"`
}

// Installed reads what cnibench has installed, or was installing or removing
// when it was interrupted.
func Installed(ctx context.Context, c *cluster.Cluster) (Inventory, bool, error) {
	m, err := c.Kube().CoreV1().ConfigMaps(inventoryNamespace).Get(ctx, inventoryName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return Inventory{}, false, nil
	}
	if err != nil {
		return Inventory{}, false, fmt.Errorf("reading the inventory: %w", err)
	}
	inv, err := unpackInventory(m.BinaryData[inventoryKey])
	if err != nil {
		return Inventory{}, false, fmt.Errorf("reading the inventory, ConfigMap %s in %s: %w", inventoryName, inventoryNamespace, err)
	}
	return inv, true, nil
}

// create writes a new inventory. There is at most one.
func (inv Inventory) create(ctx context.Context, c *cluster.Cluster) error {
	m, err := inv.configMap()
	if err == nil {
		_, err = c.Kube().CoreV1().ConfigMaps(inventoryNamespace).Create(ctx, m, metav1.CreateOptions{})
	}
	if apierrors.IsAlreadyExists(err) {
		return errors.New("another installation has just begun")
	}
	if err != nil {
		return fmt.Errorf("writing the inventory: %w", err)
	}
	return nil
}

func (inv Inventory) update(ctx context.Context, c *cluster.Cluster) error {
	m, err := inv.configMap()
	if err == nil {
		_, err = c.Kube().CoreV1().ConfigMaps(inventoryNamespace).Update(ctx, m, metav1.UpdateOptions{})
	}
	if err != nil {
		return fmt.Errorf("writing the inventory: %w", err)
	}
	return nil
}

func deleteInventory(ctx context.Context, c *cluster.Cluster) error {
	err := c.Kube().CoreV1().ConfigMaps(inventoryNamespace).Delete(ctx, inventoryName, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting the inventory: %w", err)
	}
	return nil
}

// configMap shows people what it is and keeps the rest compressed: states of
// many nodes are larger than an object may be.
func (inv Inventory) configMap() (*corev1.ConfigMap, error) {
	packed, err := packInventory(inv)
	if err != nil {
		return nil, err
	}
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Name: inventoryName, Namespace: inventoryNamespace, Labels: map[string]string{"app.kubernetes.io/managed-by": "cnibench"},
		},
		Data:       map[string]string{"variant": inv.Variant, "version": inv.Version, "digest": inv.Digest},
		BinaryData: map[string][]byte{inventoryKey: packed},
	}, nil
}

func packInventory(inv Inventory) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if err := json.NewEncoder(w).Encode(inv); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func unpackInventory(packed []byte) (Inventory, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return Inventory{}, err
	}
	var inv Inventory
	if err := json.NewDecoder(r).Decode(&inv); err != nil {
		return Inventory{}, err
	}
	if inv.Schema > inventorySchema {
		return Inventory{}, fmt.Errorf("it has schema %d, this cnibench knows up to %d", inv.Schema, inventorySchema)
	}
	return inv, nil
}

// InstalledError says that cnibench has installed something that must go first.
type InstalledError struct {
	Variant  string
	Complete bool
}

func (e *InstalledError) Error() string {
	if e.Complete {
		return "the cluster has " + e.Variant + ", which cnibench installed"
	}
	return "an installation or removal of " + e.Variant + " was interrupted"
}

// Hint says how to remove it.
func (e *InstalledError) Hint() string { return "`cnibench variants remove` removes it" }
