package probe

import (
	"io"
	"testing"
)

func TestCappedBuffer(t *testing.T) {
	b := cappedBuffer{limit: 5}
	for _, text := range []string{"abc", "de"} {
		if n, err := io.WriteString(&b, text); n != len(text) || err != nil {
			t.Fatalf("Write() = %d, %v", n, err)
		}
	}
	if b.truncated {
		t.Error("truncated at the limit")
	}
	if n, err := io.WriteString(&b, "fg"); n != 2 || err != nil || !b.truncated || b.String() != "abcde" {
		t.Errorf("Write() = %d, %v; buffer %q, truncated %v", n, err, b.String(), b.truncated)
	}
}
