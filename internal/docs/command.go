package docs

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Command is a command of cnibench, as its help tells.
type Command struct {
	Path     string   // "cnibench lab up"
	Flags    []string // "--nodes", "-f"
	Takes    bool     // an argument, although it has children
	Children map[string]*Command
}

// ReadCommand asks help for the help text of a command, given the words after
// "cnibench", and of all commands below it.
func ReadCommand(help func(words ...string) string, words ...string) *Command {
	text := help(words...)
	path := strings.Join(append([]string{"cnibench"}, words...), " ")
	c := &Command{Path: path, Flags: flagsIn(text), Takes: strings.Contains(text, "\n  "+path+" DIR "), Children: map[string]*Command{}}
	for _, name := range childrenIn(text) {
		c.Children[name] = ReadCommand(help, append(slices.Clone(words), name)...)
	}
	return c
}

var (
	flagName  = regexp.MustCompile(`(?m)^ {2,6}(?:(-[a-z]), )?(--[a-z][-a-z0-9]*)`)
	childName = regexp.MustCompile(`(?m)^  ([a-z]+) `)
)

func flagsIn(help string) []string {
	_, section, _ := strings.Cut(help, "\nFlags:\n")
	var flags []string
	for _, m := range flagName.FindAllStringSubmatch(section, -1) {
		flags = append(flags, m[1:]...)
	}
	return slices.DeleteFunc(flags, func(f string) bool { return f == "" })
}

func childrenIn(help string) []string {
	_, section, _ := strings.Cut(help, "\nAvailable Commands:\n")
	section, _, _ = strings.Cut(section, "\n\n")
	var names []string
	for _, m := range childName.FindAllStringSubmatch(section+"\n", -1) {
		if m[1] != "help" {
			names = append(names, m[1])
		}
	}
	return names
}

// Check says what is wrong with the words that follow "cnibench" in a command
// line, or returns nil.
func (c *Command) Check(words []string) error {
	for len(words) > 0 && c.Children[words[0]] != nil {
		c, words = c.Children[words[0]], words[1:]
	}
	if len(words) > 0 && len(c.Children) > 0 && !c.Takes && !strings.HasPrefix(words[0], "-") {
		return fmt.Errorf("%s has no command %q", c.Path, words[0])
	}
	for _, w := range words {
		if w == "--" {
			return nil // the rest is somebody else's
		}
		name, _, _ := strings.Cut(w, "=")
		if strings.HasPrefix(name, "-") && !slices.Contains(c.Flags, name) {
			return fmt.Errorf("%s has no flag %s", c.Path, name)
		}
	}
	return nil
}

// separators end a command within a line of shell.
var separators = regexp.MustCompile(`[|&;<>]+|\$\(|\)|#.*`)

// CommandLines splits a shell script, or a code span of prose, into commands
// and their words.
func CommandLines(script string) [][]string {
	script = strings.ReplaceAll(script, "\\\n", " ")
	var commands [][]string
	for line := range strings.Lines(script) {
		for _, command := range separators.Split(line, -1) {
			if words := strings.Fields(strings.Trim(command, "[]\n ")); len(words) > 0 {
				commands = append(commands, words)
			}
		}
	}
	return commands
}

// Invocation returns the words that follow a program's name in a command, and
// whether the command calls it.
func Invocation(command []string, names ...string) ([]string, bool) {
	for i, w := range command {
		if slices.Contains(names, w) {
			return command[i+1:], true
		}
		// Before the program come only assignments and sudo.
		if w != "sudo" && w != "export" && !strings.Contains(w, "=") {
			return nil, false
		}
	}
	return nil, false
}

var codeSpan = regexp.MustCompile("`([^`]+)`")

// CodeSpans lists what prose sets in backquotes.
func CodeSpans(prose string) []string {
	var spans []string
	for _, m := range codeSpan.FindAllStringSubmatch(prose, -1) {
		spans = append(spans, strings.Join(strings.Fields(m[1]), " "))
	}
	return spans
}
