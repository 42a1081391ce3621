package command

import "bytes"

// lines cuts a byte stream into lines.
type lines struct {
	emit func(string)
	rest []byte
}

func (l *lines) Write(p []byte) (int, error) {
	if l.emit == nil {
		return len(p), nil
	}
	l.rest = append(l.rest, p...)
	for {
		i := bytes.IndexByte(l.rest, '\n')
		if i < 0 {
			return len(p), nil
		}
		l.emit(string(bytes.TrimRight(l.rest[:i], "\r")))
		l.rest = l.rest[i+1:]
	}
}

// flush emits a last line without a line end.
func (l *lines) flush() {
	if l.emit != nil && len(l.rest) > 0 {
		l.emit(string(l.rest))
		l.rest = nil
	}
}

// tail keeps the last lines that are not empty.
type tail struct{ lines []string }

func (t *tail) add(line string) {
	if line == "" {
		return
	}
	t.lines = append(t.lines, line)
	if len(t.lines) > tailLines {
		t.lines = t.lines[1:]
	}
}
