package vitals

import (
	"bufio"
	"io"
	"strings"
)

// RuleOwners are whose rules of iptables are counted, by how their chains begin.
var RuleOwners = map[string]string{"KUBE-": "kube-proxy", "cali-": "Calico", "CILIUM_": "Cilium", "FLANNEL-": "Flannel", "ANTREA-": "Antrea"}

// CountRules counts rules in the output of iptables-save: those in, or leading
// to, a chain of somebody by name, and the rest as "others".
func CountRules(r io.Reader) (map[string]int, error) {
	counts := map[string]int{}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), 1<<20)
	for lines.Scan() {
		rule, is := strings.CutPrefix(lines.Text(), "-A ")
		if !is {
			continue
		}
		counts[ownerOf(rule)]++
	}
	return counts, lines.Err()
}

func ownerOf(rule string) string {
	chain, _, _ := strings.Cut(rule, " ")
	_, target, _ := strings.Cut(rule, " -j ")
	for _, name := range []string{chain, target} {
		for prefix, owner := range RuleOwners {
			if strings.HasPrefix(name, prefix) {
				return owner
			}
		}
	}
	return "others"
}
