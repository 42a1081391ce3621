package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/prose"
)

func TestWrappingKeepsANumberWithItsPerCent(t *testing.T) {
	var b bytes.Buffer
	writeWrapped(&b, "", strings.Repeat("13.2 %, ", 40)+"(±76.5 %)")
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(strings.TrimSpace(line), "%") || len([]rune(line)) > prose.Width+1 {
			t.Errorf("line %q", line)
		}
	}
}
