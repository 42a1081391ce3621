package load

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestK6Seen(t *testing.T) {
	r, err := ParseK6(k6Fixture(t, "foreign"))
	if err != nil {
		t.Fatal(err)
	}
	want := K6Seen{Statuses: map[string]int64{"200": 58, "302": 5, "503": 2}, Protocols: map[string]int64{"HTTP/1.1": 65}, Remotes: []string{"127.0.0.1:18099"}}
	if diff := cmp.Diff(want, r.Seen); diff != "" {
		t.Errorf("seen (-want +got):\n%s", diff)
	}
	if r.Failed != 2 || r.Problem != "request failed: status 503" {
		t.Errorf("%d failed, the first because: %s", r.Failed, r.Problem)
	}
	if r, err := ParseK6(k6Fixture(t, "ok")); err != nil || r.Seen.Statuses != nil || r.Seen.Protocols != nil || r.Seen.Remotes != nil {
		t.Errorf("of our own server: %+v, %v", r.Seen, err)
	}
}

func TestCounts(t *testing.T) {
	for want, of := range map[string]map[string]int64{
		"":                     nil,
		"200 ×7":               {"200": 7},
		"503 ×9, 200 ×7":       {"200": 7, "503": 9},
		"200 ×2, 503 ×2":       {"503": 2, "200": 2},
		"another ×3, 200 ×1":   {"200": 1, "another": 3},
		"200 ×1234567, 404 ×1": {"404": 1, "200": 1234567},
	} {
		if got := Counts(of); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestK6Remotes(t *testing.T) {
	const log = `time="2026-11-23T07:07:08Z" level=info msg="cnibench: answered by 10.0.0.2 443" source=console
time="2026-11-23T07:07:08Z" level=info msg="cnibench: answered by fd00::1 443" source=console
time="2026-11-23T07:07:08Z" level=error msg="request failed: status 503" source=console
time="2026-11-23T07:07:08Z" level=info msg="cnibench: answered by 10.0.0.2 443" source=console
time="2026-11-23T07:07:08Z" level=info msg="cnibench: answered by  0" source=console
`
	if diff := cmp.Diff([]string{"10.0.0.2:443", "[fd00::1]:443"}, k6Remotes(log)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
