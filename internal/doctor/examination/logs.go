package examination

import (
	"context"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/cnibench/cnibench/internal/doctor"
)

// logLines is how much of each agent's log is read.
const logLines = int64(2000)

// dropped are the words in which agents speak of packets that they drop: Cilium
// (DROP, "Policy denied"), Calico and Antrea ("dropping packet").
var dropped = regexp.MustCompile(`\bDROP(PED)?\b|(?i)\b(dropp?(ed|ing)) (the )?(\d+ )?(packet|datagram|traffic)s?\b|\bpackets? (was |were )?dropped\b|\bpolicy denied\b`)

// DropLines lists the lines of a log that speak of dropped packets.
func DropLines(log string) []string {
	var lines []string
	for line := range strings.Lines(log) {
		if dropped.MatchString(line) {
			const most = 300 // of a line that goes into a report
			line = strings.TrimSpace(line)
			lines = append(lines, strings.ToValidUTF8(line[:min(len(line), most)], "?"))
		}
	}
	return lines
}

// readLogs looks through the logs of the plugin's agents on the nodes that carry
// load.
func (e *examiner) readLogs(ctx context.Context) {
	drops := map[string][]string{}
	carry := loadNodes(e.Cluster)
	for _, p := range e.pods {
		if !e.isAgent(p) || !slices.Contains(carry, p.Spec.NodeName) {
			continue
		}
		for _, c := range p.Spec.Containers {
			lines := logLines
			log, err := e.Cluster.Kube().CoreV1().Pods(p.Namespace).GetLogs(p.Name, &corev1.PodLogOptions{Container: c.Name, TailLines: &lines}).DoRaw(ctx)
			if err != nil {
				e.miss(doctor.PartLogs, err)
				continue
			}
			name := p.Namespace + "/" + p.Name
			drops[name] = append(drops[name], DropLines(string(log))...)
		}
	}
	e.snapshot.Plugin.Drops = drops
}
