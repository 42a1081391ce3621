package load

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// K6Seen is what k6 saw of servers that are not ours, after the warm-up. The
// key "another" stands for statuses that IANA does not list, and for protocols
// other than HTTP/1.0, HTTP/1.1 and HTTP/2.0.
type K6Seen struct {
	Statuses  map[string]int64 `json:",omitempty"` // answers by status
	Protocols map[string]int64 `json:",omitempty"` // answers by protocol
	// Remotes are the addresses, HOST:PORT, that answered the first users,
	// sorted.
	Remotes []string `json:",omitempty"`
}

// Counts writes numbers by key, the largest first, such as "200 ×1498, 503 ×2".
func Counts(of map[string]int64) string {
	keys := slices.SortedFunc(maps.Keys(of), func(a, b string) int {
		return cmp.Or(cmp.Compare(of[b], of[a]), strings.Compare(a, b))
	})
	for i, key := range keys {
		keys[i] = fmt.Sprintf("%s ×%d", key, of[key])
	}
	return strings.Join(keys, ", ")
}

// k6Tagged is a metric of one value of a tag, such as
// cnibench_status{status:200}.
var k6Tagged = regexp.MustCompile(`^cnibench_(status|protocol)\{[a-z]+:([A-Za-z0-9/.]+)\}$`)

// seen reads what k6 counted by tags. Values that did not occur are not in it.
func (s k6Summary) seen(stderr string) (K6Seen, error) {
	seen := K6Seen{Remotes: k6Remotes(stderr)}
	for name := range s.Metrics {
		m := k6Tagged.FindStringSubmatch(name)
		if m == nil {
			continue
		}
		count, err := s.need(name, 0, k6Count, "count")
		if err != nil {
			return K6Seen{}, err
		}
		into := &seen.Statuses
		if m[1] == "protocol" {
			into = &seen.Protocols
		}
		if *into == nil {
			*into = map[string]int64{}
		}
		if count[0] > 0 {
			(*into)[m[2]] = int64(count[0])
		}
	}
	return seen, nil
}

// k6Answered is what the script says of who answers a user.
var k6Answered = regexp.MustCompile(`msg="cnibench: answered by ([0-9a-fA-F:.]+) ([0-9]+)"`)

func k6Remotes(stderr string) []string {
	var remotes []string
	for _, m := range k6Answered.FindAllStringSubmatch(stderr, -1) {
		host := m[1]
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		remotes = append(remotes, host+":"+m[2])
	}
	slices.Sort(remotes)
	return slices.Compact(remotes)
}
