package probe

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What put writes, get reads, and a program that is put can be run.
func TestPutAndGet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "load", "hello")
	const content = "#!/bin/sh\necho hello\n"
	spec := fmt.Sprintf(`{"path":%q,"size":%d,"executable":true}`+"\n", path, len(content))
	if got := fileFrame(t, "put", spec+content); got.Size != len(content) || got.Content != nil {
		t.Errorf("put says %+v", got)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("%v, %v", info, err)
	}
	got := fileFrame(t, "get", fmt.Sprintf(`{"path":%q}`+"\n", path))
	if string(got.Content) != content || got.Missing {
		t.Errorf("get says %+v", got)
	}
	if got := fileFrame(t, "get", `{"path":"/nowhere/at/all"}`+"\n"); !got.Missing {
		t.Errorf("a file that is not there: %+v", got)
	}
}

// Content that ends early leaves no file.
func TestPutCutShort(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "cut")
	var out, errs bytes.Buffer
	status := Main([]string{"put"}, strings.NewReader(fmt.Sprintf(`{"path":%q,"size":10}`+"\nabc", path)), &out, &errs)
	left, _ := os.ReadDir(dir)
	if status != 1 || !strings.Contains(errs.String(), path) || len(left) != 0 {
		t.Errorf("status %d, stderr %q, left %v", status, errs.String(), left)
	}
}

func fileFrame(t *testing.T, command, stdin string) File {
	t.Helper()
	var out, errs bytes.Buffer
	if status := Main([]string{command}, strings.NewReader(stdin), &out, &errs); status != 0 {
		t.Fatalf("%s: status %d, %s", command, status, errs.String())
	}
	kind, payload, err := ReadFrame(bufio.NewReader(&out))
	if err != nil || kind != FrameFile {
		t.Fatalf("%s: frame %q, %v", command, kind, err)
	}
	var f File
	if err := json.Unmarshal(payload, &f); err != nil {
		t.Fatal(err)
	}
	return f
}
