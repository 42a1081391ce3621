package vitals

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Complaint is a line of the kernel's log that tells of trouble.
type Complaint struct {
	About string        `json:"about"` // what of: "conntrack table full"
	At    time.Duration `json:"atNs"`  // since boot; 0: the line does not tell
	Text  string        `json:"text"`
}

// mostComplaints bounds what is kept of each kind: the last ones.
const mostComplaints = 5

// complaints are the lines that are looked for, by the kernel's own words. What
// every container start writes (bridge ports that change state) is none.
var complaints = []struct {
	about string
	line  *regexp.Regexp
}{
	{"conntrack table full", regexp.MustCompile(`nf_conntrack: .*table full`)},
	{"neighbour table full", regexp.MustCompile(`neighbou?r(: | )(arp_cache|ndisc_cache|table).*overflow`)},
	{"transmit queue hung", regexp.MustCompile(`NETDEV WATCHDOG|transmit queue .*timed out|Tx timeout|Detected Tx Unit Hang`)},
	{"link went down", regexp.MustCompile(`(?i)\b(eth|en|ib|bond|mlx)\S*: .*\blink (is )?down`)},
	{"memory could not be had", regexp.MustCompile(`page allocation failure|Out of memory: |oom-kill:|Memory cgroup out of memory`)},
	{"a CPU was stuck", regexp.MustCompile(`soft lockup|hard LOCKUP|rcu.*detected stalls|rcu.*self-detected stall|blocked for more than \d+ seconds`)},
	{"CPU too hot", regexp.MustCompile(`(?i)temperature above threshold|cpu clock throttled`)},
	{"clock unstable", regexp.MustCompile(`(?i)clocksource: .*(unstable|skew)|Marking TSC unstable`)},
	{"possible SYN flooding", regexp.MustCompile(`possible SYN flooding`)},
	{"dropped by a rule that logs", regexp.MustCompile(`\b(DROP|REJECT|DENY)\S* ?IN=\S* OUT=`)},
}

// stamp is the time since boot that the kernel puts before a line, after its
// priority: "<4>[ 123.456789] ".
var stamp = regexp.MustCompile(`^(?:<\d+>)?\[ *(\d+)\.(\d{6})\] `)

// FindComplaints looks through the kernel's log as klogctl(2) gives it.
func FindComplaints(log string) []Complaint {
	var found []Complaint
	count := map[string]int{}
	for line := range strings.Lines(log) {
		c, is := complaintIn(strings.TrimRight(line, "\n"))
		if is {
			found = append(found, c)
			count[c.About]++
		}
	}
	var kept []Complaint
	for _, c := range found {
		if count[c.About]--; count[c.About] < mostComplaints {
			kept = append(kept, c)
		}
	}
	return kept
}

func complaintIn(line string) (Complaint, bool) {
	var c Complaint
	if m := stamp.FindStringSubmatch(line); m != nil {
		line = line[len(m[0]):]
		seconds, errSeconds := strconv.ParseInt(m[1], 10, 32)
		micros, errMicros := strconv.ParseInt(m[2], 10, 64)
		if errSeconds == nil && errMicros == nil {
			c.At = time.Duration(seconds)*time.Second + time.Duration(micros)*time.Microsecond
		}
	}
	for _, kind := range complaints {
		if kind.line.MatchString(line) {
			const most = 300 // of a line that goes into a report
			c.About, c.Text = kind.about, strings.ToValidUTF8(line[:min(len(line), most)], "?")
			return c, true
		}
	}
	return Complaint{}, false
}
