package pace

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/dns/dnsmessage"
)

// reply answers a question as a name server would.
func reply(t *testing.T, query []byte, code dnsmessage.RCode, answers ...dnsmessage.ResourceBody) []byte {
	t.Helper()
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil {
		t.Fatal(err)
	}
	m.Response, m.RCode = true, code
	for _, body := range answers {
		m.Answers = append(m.Answers, dnsmessage.Resource{Body: body,
			Header: dnsmessage.ResourceHeader{Name: m.Questions[0].Name, Class: dnsmessage.ClassINET}})
	}
	packed, err := m.Pack()
	if err != nil {
		t.Fatal(err)
	}
	return packed
}

func TestParseAnswer(t *testing.T) {
	query, err := buildQuery(nil, 7, "a.example.org.")
	if err != nil {
		t.Fatal(err)
	}
	alias := &dnsmessage.CNAMEResource{CNAME: dnsmessage.MustNewName("b.example.org.")}
	truncated := reply(t, query, dnsmessage.RCodeSuccess)
	truncated[2] |= 2 // TC (RFC 1035, section 4.1.1)
	tests := []struct {
		name    string
		message []byte
		want    string
	}{
		{"address", reply(t, query, 0, &dnsmessage.AResource{}), NoError},
		{"address behind an alias", reply(t, query, 0, alias, &dnsmessage.AResource{}), NoError},
		{"alias to nothing", reply(t, query, 0, alias), NoData},
		{"no address", reply(t, query, 0), NoData},
		{"no name", reply(t, query, dnsmessage.RCodeNameError), NXDomain},
		{"failure", reply(t, query, dnsmessage.RCodeServerFailure), "SERVFAIL"},
		{"strange code", reply(t, query, 9), "RCODE9"},
		{"truncated", truncated, Truncated},
	}
	for _, test := range tests {
		if id, says, err := parseAnswer(test.message); id != 7 || says != test.want || err != nil {
			t.Errorf("%s: parseAnswer() = %d, %q, %v", test.name, id, says, err)
		}
	}
	for _, message := range [][]byte{nil, query, truncated[:11]} {
		if _, says, err := parseAnswer(message); !errors.Is(err, errNoAnswer) {
			t.Errorf("parseAnswer(%x) = %q, %v", message, says, err)
		}
	}
}

func FuzzParseAnswer(f *testing.F) {
	query, err := buildQuery(nil, 7, "a.example.org.")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(query)
	query[2] |= 0x80 // QR
	f.Add(query)
	f.Fuzz(func(t *testing.T, message []byte) {
		_, says, err := parseAnswer(message)
		if (says == "") != (err != nil) {
			t.Errorf("parseAnswer() = %q, %v", says, err)
		}
	})
}

// Ids have 16 bits: an answer belongs to the newest question with its id.
func TestQuestionsPastTheIDs(t *testing.T) {
	q := &questions{list: []Question{{"known.example.org.", NoError}, {"*.example.org.", NXDomain}}}
	names := map[string]bool{}
	for n := uint64(65530); n < 65550; n++ {
		query, err := q.request(n)
		if err != nil {
			t.Fatal(err)
		}
		var m dnsmessage.Message
		if err := m.Unpack(query); err != nil {
			t.Fatal(err)
		}
		names[m.Questions[0].Name.String()] = true
		code := dnsmessage.RCodeNameError
		got, says, expected, err := q.answer(reply(t, query, code))
		if got != n || says != NXDomain || expected != (n%2 == 1) || err != nil {
			t.Errorf("answer to %d: %d, %q, %v, %v", n, got, says, expected, err)
		}
	}
	if len(names) != 11 || !names["known.example.org."] {
		t.Errorf("names: %v", names)
	}
}

func TestCompletedByTheClustersDomain(t *testing.T) {
	conf := "nameserver 10.96.0.10\nsearch cnibench.svc.example.org svc.example.org. example.org\noptions ndots:5\n"
	reads := 0
	read := func() ([]byte, error) { reads++; return []byte(conf), nil }
	got, err := complete([]Question{{"a.b.svc", NoError}, {"*.svc", NXDomain}, {"c.", NoError}}, read)
	want := []Question{{"a.b.svc.example.org.", NoError}, {"*.svc.example.org.", NXDomain}, {"c.", NoError}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil || reads != 1 {
		t.Errorf("after %d reads: %v, %s", reads, err, diff)
	}
	conf = "nameserver 8.8.8.8\nsearch example.org\n"
	if got, err := complete([]Question{{"a", NoError}}, read); err == nil {
		t.Errorf("without a cluster: %v", got)
	}
	if got, err := complete([]Question{{"a.", NoError}}, nil); err != nil || got[0].Name != "a." {
		t.Errorf("complete() = %v, %v", got, err)
	}
}
