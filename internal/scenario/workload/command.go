package workload

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/cnibench/cnibench/internal/parameter"
)

// The placeholders that are no parameters: the server's address, and the port
// that leads to the first that it listens on; ${port.2} to the second.
const (
	address = "address"
	port    = "port"
)

// Target is where the client finds the server.
type Target struct {
	Host  string
	Ports []int // that lead to those of Server.Listen, in its order
}

// placeholder is ${NAME} or ${NAME.FORM}; $${ stands for a literal ${.
var placeholder = regexp.MustCompile(`\$\$\{|\$\{[^}]*\}?`)

// forms are the ways to write a value besides its canonical text, by kind.
var forms = map[parameter.Kind]map[string]func(v parameter.Values, name string) string{
	parameter.Duration: {
		"seconds":      func(v parameter.Values, name string) string { return decimal(v.Duration(name).Seconds()) },
		"milliseconds": func(v parameter.Values, name string) string { return decimal(v.Duration(name).Seconds() * 1000) },
	},
	parameter.Bytes: {"bytes": func(v parameter.Values, name string) string { return strconv.Itoa(v.Bytes(name)) }},
	parameter.Rate:  {"bits": func(v parameter.Values, name string) string { return decimal(v.Rate(name)) }},
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// ServerArgv is what to run at the server's end.
func (w Workload) ServerArgv(v parameter.Values) ([]string, error) {
	return w.argv(w.Server.Command, v, Target{Host: "0.0.0.0", Ports: w.Server.Listen})
}

// ClientArgv is what to run at the client's end.
func (w Workload) ClientArgv(v parameter.Values, to Target) ([]string, error) {
	return w.argv(w.Client.Command, v, to)
}

// argv fills a command's placeholders in: ${address} and ${port} with where
// the server is, ${NAME} with a parameter's value and ${NAME.FORM} with the
// value in seconds, milliseconds, bytes or bits per second. There is no shell.
// Without values it only checks them.
func (w Workload) argv(command []string, v parameter.Values, to Target) ([]string, error) {
	argv := make([]string, len(command))
	for i, word := range command {
		var failed error
		argv[i] = placeholder.ReplaceAllStringFunc(word, func(found string) string {
			if found == "$${" {
				return "${"
			}
			text, err := w.fill(found, v, to)
			if err != nil {
				failed = err
			}
			return text
		})
		if failed != nil {
			return nil, failed
		}
	}
	return argv, nil
}

// fill returns what a placeholder stands for.
func (w Workload) fill(found string, v parameter.Values, to Target) (string, error) {
	inside, closed := strings.CutSuffix(strings.TrimPrefix(found, "${"), "}")
	if !closed {
		return "", fmt.Errorf("the placeholder %q has no end", found)
	}
	name, form, formed := strings.Cut(inside, ".")
	switch name {
	case address, port:
		return w.target(inside, v == nil, to)
	}
	for _, p := range w.Parameters {
		if p.Name != name {
			continue
		}
		write := forms[p.Kind][form]
		switch {
		case formed && write == nil:
			return "", fmt.Errorf("%s cannot be written: %s is %s", found, name, p.Domain())
		case v == nil:
			return "", nil
		case formed:
			return write(v, name), nil
		}
		return v.Text(name), nil
	}
	return "", fmt.Errorf("%s names no parameter", found)
}

// target returns what a placeholder of the server stands for.
func (w Workload) target(inside string, check bool, to Target) (string, error) {
	if w.Server == nil {
		return "", fmt.Errorf("${%s} needs a server, and there is none", inside)
	}
	if inside == address {
		return to.Host, nil
	}
	for i := range w.Server.Listen {
		if inside != port+"."+strconv.Itoa(i+1) && (i > 0 || inside != port) {
			continue
		}
		if check {
			return "", nil
		}
		return strconv.Itoa(to.Ports[i]), nil
	}
	return "", fmt.Errorf("${%s} names no port that the server listens on", inside)
}
