package pace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/dns/dnsmessage"
)

// What an answer to a question says: the response code, or what stands in the
// way of using it.
const (
	NoError   = "NOERROR"   // with at least one address
	NXDomain  = "NXDOMAIN"  // there is no such name
	NoData    = "NODATA"    // the name has no address
	Truncated = "TRUNCATED" // the answer did not fit
)

// The other response codes (RFC 1035, section 4.1.1); further ones are named
// by their numbers.
var responseCodes = map[dnsmessage.RCode]string{
	dnsmessage.RCodeNameError:      NXDomain,
	dnsmessage.RCodeFormatError:    "FORMERR",
	dnsmessage.RCodeServerFailure:  "SERVFAIL",
	dnsmessage.RCodeNotImplemented: "NOTIMP",
	dnsmessage.RCodeRefused:        "REFUSED",
}

// completed adds a domain to a name that does not end in a dot.
func completed(name, domain string) string {
	switch {
	case strings.HasSuffix(name, "."):
		return name
	case domain == "":
		return name + "."
	}
	return name + "." + domain + "."
}

// clusterDomain finds the cluster's domain in a pod's resolv.conf: kubelet puts
// svc.DOMAIN on the search list.
func clusterDomain(resolvConf []byte) (string, error) {
	for line := range strings.Lines(string(resolvConf)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] != "search" {
			continue
		}
		for _, domain := range fields[1:] {
			if rest, ok := strings.CutPrefix(strings.TrimSuffix(domain, "."), "svc."); ok && rest != "" {
				return rest, nil
			}
		}
	}
	return "", errors.New("resolv.conf has no search domain below svc")
}

// complete adds the cluster's domain to the names that need one. read returns
// the contents of resolv.conf.
func complete(list []Question, read func() ([]byte, error)) ([]Question, error) {
	list = slices.Clone(list)
	domain := ""
	for i := range list {
		if strings.HasSuffix(list[i].Name, ".") {
			continue
		}
		if domain == "" {
			data, err := read()
			if err == nil {
				domain, err = clusterDomain(data)
			}
			if err != nil {
				return nil, fmt.Errorf("the cluster's domain: %w", err)
			}
		}
		list[i].Name = completed(list[i].Name, domain)
	}
	return list, nil
}

// buildQuery appends a question for the A records of a complete name to buf.
func buildQuery(buf []byte, id uint16, name string) ([]byte, error) {
	parsed, err := dnsmessage.NewName(name)
	if err != nil {
		return nil, fmt.Errorf("question %q: %w", name, err)
	}
	b := dnsmessage.NewBuilder(buf, dnsmessage.Header{ID: id, RecursionDesired: true})
	if err := b.StartQuestions(); err != nil {
		return nil, fmt.Errorf("question %q: %w", name, err)
	}
	if err := b.Question(dnsmessage.Question{Name: parsed, Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET}); err != nil {
		return nil, fmt.Errorf("question %q: %w", name, err)
	}
	return b.Finish()
}

// errNoAnswer says that a message is no answer to a question.
var errNoAnswer = errors.New("no DNS answer")

// parseAnswer returns the id of an answer and what it says.
func parseAnswer(message []byte) (id uint16, says string, err error) {
	var p dnsmessage.Parser
	header, err := p.Start(message)
	if err != nil {
		return 0, "", fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	if !header.Response {
		return 0, "", errNoAnswer
	}
	switch {
	case header.Truncated:
		return header.ID, Truncated, nil
	case header.RCode != dnsmessage.RCodeSuccess:
		if name, known := responseCodes[header.RCode]; known {
			return header.ID, name, nil
		}
		return header.ID, "RCODE" + strconv.Itoa(int(header.RCode)), nil
	}
	if err := p.SkipAllQuestions(); err != nil {
		return 0, "", fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	for {
		record, err := p.AnswerHeader()
		switch {
		case errors.Is(err, dnsmessage.ErrSectionDone):
			return header.ID, NoData, nil
		case err != nil:
			return 0, "", fmt.Errorf("%w: %w", errNoAnswer, err)
		case record.Type == dnsmessage.TypeA:
			return header.ID, NoError, nil
		}
		if err := p.SkipAnswer(); err != nil {
			return 0, "", fmt.Errorf("%w: %w", errNoAnswer, err)
		}
	}
}

// uniqueLabel is a label that no question had before: run tells clients apart,
// n questions.
func uniqueLabel(run uint32, n uint64) string {
	return "u" + strconv.FormatUint(uint64(run), 36) + "-" + strconv.FormatUint(n, 36)
}

// codec makes the datagrams of requests and reads those of answers.
type codec interface {
	// request returns the datagram of request n, valid until the next.
	request(n uint64) ([]byte, error)
	// answer returns the request that a datagram answers, what it says (empty
	// where there is nothing to say), and whether that is what was expected.
	answer(datagram []byte) (n uint64, says string, expected bool, err error)
}

// questions is the codec of DNS.
type questions struct {
	list []Question
	run  uint32 // makes unique names unique
	last uint64 // the newest request
	buf  []byte
}

func (q *questions) request(n uint64) ([]byte, error) {
	q.last = n
	name := q.of(n).Name
	if strings.HasPrefix(name, "*.") {
		name = uniqueLabel(q.run, n) + name[1:]
	}
	message, err := buildQuery(q.buf[:0], uint16(n), name)
	if err == nil {
		q.buf = message
	}
	return message, err
}

func (q *questions) of(n uint64) Question { return q.list[n%uint64(len(q.list))] }

func (q *questions) answer(datagram []byte) (n uint64, says string, expected bool, err error) {
	id, says, err := parseAnswer(datagram)
	if err != nil {
		return 0, "", false, err
	}
	// The newest request with this id: maxDNSRate keeps older ones apart.
	n = q.last - uint64(uint16(q.last)-id)
	return n, says, says == q.of(n).Expect, nil
}

// echoes is the codec of UDPRR: requests carry their number, and answers
// return it.
type echoes struct {
	payload       []byte
	responseBytes int
}

var errNoEcho = errors.New("a datagram that the server did not send")

func (e *echoes) request(n uint64) ([]byte, error) {
	binary.BigEndian.PutUint64(e.payload, n)
	return e.payload, nil
}

func (e *echoes) answer(datagram []byte) (n uint64, says string, expected bool, err error) {
	if len(datagram) != e.responseBytes {
		return 0, "", false, errNoEcho
	}
	return binary.BigEndian.Uint64(datagram), "", true, nil
}
