package probe

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func socketTable(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "proc", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestParseListening(t *testing.T) {
	ports := map[int]bool{}
	for _, name := range []string{"net/tcp", "net/tcp6"} {
		if err := parseListening(socketTable(t, name), tcpListen, ports); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(map[int]bool{0x1451: true, 8080: true}, ports); diff != "" {
		t.Errorf("listening ports (-want +got):\n%s", diff)
	}
}

func FuzzListening(f *testing.F) {
	for _, name := range []string{"net/tcp", "net/tcp6"} {
		f.Add(socketTable(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		ports := map[int]bool{}
		if err := parseListening(data, tcpListen, ports); err != nil {
			return
		}
		for port := range ports {
			if port < 0 || port > 65535 {
				t.Errorf("port %d", port)
			}
		}
	})
}
