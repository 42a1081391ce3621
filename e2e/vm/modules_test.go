package vm

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const dep = `kernel/fs/9p/9p.ko: kernel/net/9p/9pnet.ko kernel/fs/netfs/netfs.ko kernel/fs/fscache/fscache.ko
kernel/fs/fscache/fscache.ko: kernel/fs/netfs/netfs.ko
kernel/net/9p/9pnet_virtio.ko: kernel/net/9p/9pnet.ko kernel/drivers/virtio/virtio.ko
kernel/net/9p/9pnet.ko:
kernel/crypto/cts-mode.ko.xz:
`

func TestLoadOrder(t *testing.T) {
	got, err := loadOrder(dep, "9p", "9pnet_virtio", "cts_mode")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"kernel/fs/fscache/fscache.ko", "kernel/fs/netfs/netfs.ko", "kernel/net/9p/9pnet.ko", "kernel/fs/9p/9p.ko",
		"kernel/drivers/virtio/virtio.ko", "kernel/net/9p/9pnet_virtio.ko", "kernel/crypto/cts-mode.ko.xz",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestLoadOrderNamesTheMissing(t *testing.T) {
	if _, err := loadOrder(dep, "9p", "wireguard"); err == nil || err.Error() != "the kernel has no module wireguard" {
		t.Errorf("error %v", err)
	}
}
