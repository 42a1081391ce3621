package debian

import (
	"fmt"
	"path"
	"strings"

	"github.com/cnibench/cnibench/internal/lab/supply/tree"
)

// variant is the one that update-alternatives would choose for the packet
// filter programs (iptables.postinst gives iptables-nft the higher priority).
const variant = "nft"

// filters are the programs that exist in variants, with what follows the
// variant in their names: iptables-nft, iptables-nft-save …
var filters = []string{"iptables", "ip6tables", "arptables", "ebtables"}

var filterSuffixes = []string{"", "-save", "-restore"}

// accounts are the users that packages in the tree may name. Maintainer
// scripts would add more; none is needed by what runs in a lab.
const (
	passwd = "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
	group  = "root:x:0:\ntty:x:5:\nshadow:x:42:\nnogroup:x:65534:\n"
	nss    = "passwd: files\ngroup: files\nhosts: files dns\n"
)

// Complete makes what maintainer scripts would have made and a lab needs: the
// chosen packet filter programs, accounts, name service order, /tmp and the
// directories that get mounted over. applets are names under which
// busybox is linked where no package has a program of that name.
func Complete(t *tree.Tree, applets []string) error {
	if err := linkFilters(t); err != nil {
		return err
	}
	if err := linkShell(t); err != nil {
		return err
	}
	if err := linkApplets(t, applets); err != nil {
		return err
	}
	for name, content := range map[string]string{"etc/passwd": passwd, "etc/group": group, "etc/nsswitch.conf": nss} {
		if _, ok := t.Get(name); ok {
			continue
		}
		if err := t.AddData(name, 0o644, content); err != nil {
			return err
		}
	}
	// base-files has these as directories, and its postinst makes links of them.
	// What mounts below /run, Cilium's chart among others, must meet what looks
	// below /var/run.
	for name, target := range map[string]string{"var/run": "/run", "var/lock": "/run/lock"} {
		t.RemoveEmptyDir(name)
		if _, ok := t.Get(name); ok {
			continue
		}
		if err := t.AddLink(name, target); err != nil {
			return err
		}
	}
	modes := map[string]int64{"tmp": 0o1777, "var/tmp": 0o1777, "root": 0o700}
	for _, dir := range []string{"tmp", "var/tmp", "root", "proc", "sys", "dev", "run", "etc"} {
		mode, ok := modes[dir]
		if !ok {
			mode = 0o755
		}
		if _, ok := t.Get(dir); ok {
			continue
		}
		if err := t.AddDir(dir, mode); err != nil {
			return err
		}
	}
	return t.Seal(true)
}

// linkFilters links iptables to iptables-nft and so on, where a package has
// the variant and not the plain name.
func linkFilters(t *tree.Tree) error {
	for _, filter := range filters {
		for _, suffix := range filterSuffixes {
			chosen, plain := filter+"-"+variant+suffix, "usr/sbin/"+filter+suffix
			_, have := t.Get("usr/sbin/" + chosen)
			if _, taken := t.Get(plain); !have || taken {
				continue
			}
			if err := t.AddLink(plain, chosen); err != nil {
				return err
			}
		}
	}
	return nil
}

// linkShell makes dash the shell, as dash.postinst does. A tree with programs
// of its own wants that: Debian's busybox, as a shell, prefers its applets to
// programs of the same name, ip and mount among them.
func linkShell(t *tree.Tree) error {
	_, have := t.Get("usr/bin/dash")
	if _, taken := t.Get("usr/bin/sh"); !have || taken {
		return nil
	}
	return t.AddLink("usr/bin/sh", "dash")
}

// linkApplets links names in /usr/bin to busybox.
func linkApplets(t *tree.Tree, applets []string) error {
	const busybox = "usr/bin/busybox"
	if _, ok := t.Get(busybox); len(applets) > 0 && !ok {
		return fmt.Errorf("applets %s need the package busybox-static", strings.Join(applets, ", "))
	}
	for _, applet := range applets {
		name := path.Join("usr/bin", applet)
		_, taken := t.Get(name)
		if _, system := t.Get(path.Join("usr/sbin", applet)); taken || system {
			continue
		}
		if err := t.AddLink(name, "busybox"); err != nil {
			return err
		}
	}
	return nil
}
