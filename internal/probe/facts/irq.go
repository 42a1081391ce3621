package facts

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

const netDir = "sys/class/net"

// deviceOf finds the device of a card in sysfs: "sys/devices/…/0000:00:03.0".
// Links without hardware have none.
func deviceOf(root fs.FS, name string) (string, bool) {
	target, err := fs.ReadLink(root, path.Join(netDir, name))
	if err != nil || path.IsAbs(target) {
		return "", false
	}
	real := path.Join(netDir, target) // …/DEVICE/net/NAME
	if path.Base(path.Dir(real)) != "net" || strings.Contains(real, "/virtual/") {
		return "", false
	}
	return path.Dir(path.Dir(real)), true
}

// interrupts notes which CPUs the card's interrupts go to, one list of CPUs per
// interrupt in the order of their numbers, and which CPUs software spreads
// packets to.
func interrupts(f Facts, root fs.FS, as, device string) {
	var numbers []int
	// The device of a paravirtual card has its interrupts from the bus above.
	for _, dir := range []string{device, path.Dir(device)} {
		if numbers = numbered(root, path.Join(dir, "msi_irqs"), ""); len(numbers) > 0 {
			break
		}
	}
	if len(numbers) == 0 {
		f.Miss(as+".irq.cpus", "the device shows no interrupts of its own")
		return
	}
	lists := map[int]string{}
	for i, n := range numbers {
		b, err := fs.ReadFile(root, fmt.Sprintf("proc/irq/%d/smp_affinity_list", n))
		if err != nil {
			f.Miss(as+".irq.cpus", reason(err))
			return
		}
		lists[i] = strings.TrimSpace(string(b))
	}
	f.setInt(as+".irq.count", int64(len(numbers)))
	f.Set(as+".irq.cpus", "CPUs "+grouped(lists))
}

// queues notes how many queues a link has and which CPUs their packets are
// spread to (scaling.rst of the kernel's documentation: RPS, RFS, XPS).
func queues(f Facts, root fs.FS, as, name string) {
	dir := path.Join(netDir, name, "queues")
	for _, direction := range []struct{ prefix, mask, fact string }{{"rx-", "rps_cpus", "rps"}, {"tx-", "xps_cpus", "xps"}} {
		fact := as + "." + direction.fact
		numbers := numbered(root, dir, direction.prefix)
		if len(numbers) == 0 {
			f.Miss(fact, "the link shows no queues")
			continue
		}
		f.setInt(as+".queues."+strings.TrimSuffix(direction.prefix, "-"), int64(len(numbers)))
		lists := map[int]string{}
		for _, n := range numbers {
			b, err := fs.ReadFile(root, fmt.Sprintf("%s/%s%d/%s", dir, direction.prefix, n, direction.mask))
			var cpus string
			if err == nil {
				cpus, err = parseMask(string(b))
			}
			if err != nil {
				f.Miss(fact, reason(err))
				lists = nil
				break
			}
			if lists[n] = "CPUs " + cpus; cpus == "" {
				lists[n] = "off"
			}
		}
		if lists != nil {
			f.Set(fact, grouped(lists))
		}
	}
	flows := map[int]string{}
	for _, n := range numbered(root, dir, "rx-") {
		if b, err := fs.ReadFile(root, fmt.Sprintf("%s/rx-%d/rps_flow_cnt", dir, n)); err == nil {
			flows[n] = strings.TrimSpace(string(b))
		}
	}
	if len(flows) > 0 {
		f.Set(as+".rfs.flows", grouped(flows))
	}
}
