package vm

import (
	"bytes"
	"strings"
	"testing"
)

// TestWriteCPIO: one entry's bytes, from the format's description: the header
// of 110 characters, the name with NUL padded to four, the data padded to four.
func TestWriteCPIO(t *testing.T) {
	var got bytes.Buffer
	if err := writeCPIO(&got, []archiveFile{{"bin", modeDir | 0o755, nil}, {"init", modeFile | 0o755, []byte("#!sh\n")}}); err != nil {
		t.Fatal(err)
	}
	zeros := strings.Repeat("0", 32)
	want := "070701" + "00000001" + "000041ED" + "0000000000000000" + "00000001" + "00000000" + "00000000" + zeros + "00000004" + "00000000" + "bin\x00" + "\x00\x00" +
		"070701" + "00000002" + "000081ED" + "0000000000000000" + "00000001" + "00000000" + "00000005" + zeros + "00000005" + "00000000" + "init\x00" + "\x00" + "#!sh\n\x00\x00\x00" +
		"070701" + "00000003" + "00000000" + "0000000000000000" + "00000001" + "00000000" + "00000000" + zeros + "0000000B" + "00000000" + "TRAILER!!!\x00" + "\x00\x00\x00"
	if got.String() != want {
		t.Errorf("got\n%q\nwant\n%q", got.String(), want)
	}
}
