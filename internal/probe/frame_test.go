package probe

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func reader(s string) *bufio.Reader { return bufio.NewReader(strings.NewReader(s)) }

func TestFramesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var stream bytes.Buffer
		texts := rapid.SliceOf(rapid.String()).Draw(t, "texts")
		for _, text := range texts {
			if err := WriteFrame(&stream, "text", text); err != nil {
				t.Fatal(err)
			}
		}
		in := bufio.NewReader(&stream)
		for _, text := range texts {
			kind, payload, err := ReadFrame(in)
			if err != nil || kind != "text" {
				t.Fatalf("ReadFrame() = %s, %v", kind, err)
			}
			want, _ := json.Marshal(text)
			if !bytes.Equal(payload, want) {
				t.Fatalf("payload %q, want %q", payload, want)
			}
		}
		if _, _, err := ReadFrame(in); !errors.Is(err, ErrNoFrame) || !errors.Is(err, io.EOF) {
			t.Fatalf("after the last frame: %v", err)
		}
	})
}

// However much of a frame is missing, that is noticed.
func TestReadFrameTruncated(t *testing.T) {
	var stream bytes.Buffer
	if err := WriteFrame(&stream, "report", map[string]int{"a": 1}); err != nil {
		t.Fatal(err)
	}
	whole := stream.String()
	for n := 1; n < len(whole); n++ {
		if _, _, err := ReadFrame(reader(whole[:n])); !errors.Is(err, ErrTruncated) {
			t.Errorf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
}

func TestReadFrameRefuses(t *testing.T) {
	var stream bytes.Buffer
	if err := WriteFrame(&stream, "report", "text"); err != nil {
		t.Fatal(err)
	}
	whole := stream.String()
	tests := []struct {
		name, input string
		want        error
		message     string
	}{
		{"payload changed", strings.Replace(whole, "text", "test", 1), ErrCorrupt, "checksum of report"},
		{"bytes lost", strings.Replace(whole, "text", "txt", 1) + "more", ErrCorrupt, "does not end after 6 bytes"},
		{"size", strings.Replace(whole, " 6 ", " 999999999999 ", 1), ErrCorrupt, `size "999999999999"`},
		{"checksum", "cnibench-frame v1 a 0 ff\n\n", ErrCorrupt, `checksum "ff"`},
		{"kind", "cnibench-frame v1 A 0 ff\n\n", ErrCorrupt, "header"},
		{"fields", "cnibench-frame v1 a\n", ErrCorrupt, "header"},
		{"other version", "cnibench-frame v2 a 0 ff\n", ErrNoFrame, "cnibench-frame v2"},
		{"foreign output", "sh: iperf3: not found\nbye\n" + whole, ErrNoFrame, `"sh: iperf3: not found\nbye`},
		{"foreign output without newline", "Killed", ErrNoFrame, `"Killed"`},
		{"a lot of foreign output", strings.Repeat("x", 10000), ErrNoFrame, `x" and more`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := ReadFrame(reader(test.input))
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.message) {
				t.Errorf("error is %v; want %v with %q", err, test.want, test.message)
			}
			if len(err.Error()) > 400 {
				t.Errorf("error has %d bytes", len(err.Error()))
			}
		})
	}
}

func TestReadSpec(t *testing.T) {
	in := reader(`{"processes":[{"argv":["sleep","1"]}],"timeoutNs":5}` + "\nmore")
	var spec LoadSpec
	if err := ReadSpec(in, &spec); err != nil || spec.Timeout != 5 || spec.Processes[0].Argv[1] != "1" {
		t.Errorf("ReadSpec() = %+v, %v", spec, err)
	}
	if rest, _ := io.ReadAll(in); string(rest) != "more" {
		t.Errorf("rest of stdin is %q", rest)
	}
	for input, want := range map[string]string{
		"":                         "first line of stdin is empty",
		"\n{}":                     "first line of stdin is empty",
		`{"timeout":5}`:            `unknown field "timeout"`,
		`{} {}`:                    "more than one value",
		`{"processes":`:            "unexpected EOF",
		strings.Repeat(" ", 2<<20): "longer than",
	} {
		if err := ReadSpec(reader(input), &spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ReadSpec(%.20q) = %v, want an error with %q", input, err, want)
		}
	}
}

// Whatever comes in, a frame that is accepted is one that can be written.
func FuzzReadFrame(f *testing.F) {
	var stream bytes.Buffer
	if err := WriteFrame(&stream, "report", "text"); err != nil {
		f.Fatal(err)
	}
	f.Add(stream.Bytes())
	f.Add(stream.Bytes()[:40])
	f.Add([]byte("cnibench-frame v1 a 0 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n\n"))
	f.Add([]byte("sh: not found\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		kind, payload, err := ReadFrame(bufio.NewReader(bytes.NewReader(data)))
		if err == nil {
			if !validKind(kind) || len(payload) > len(data) {
				t.Fatalf("frame %q with %d bytes out of %d", kind, len(payload), len(data))
			}
			return
		}
		known := 0
		for _, e := range []error{ErrNoFrame, ErrTruncated, ErrCorrupt} {
			if errors.Is(err, e) {
				known++
			}
		}
		if known != 1 {
			t.Fatalf("error %v is %d of the documented ones", err, known)
		}
	})
}
