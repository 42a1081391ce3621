package report

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/cnibench/cnibench/internal/result"
)

// ReadCommands reads from the evidence what the client of every ok trial
// executed, by the directory of its evidence. Trials whose evidence does not
// say it, as in a copy without raw/, are left out.
func ReadCommands(d *result.Dir, trials []result.Trial) (map[string]string, error) {
	all := map[string]string{}
	for _, t := range result.LastAttempts(trials) {
		if t.Status != result.OK {
			continue
		}
		file, err := d.Commands(t)
		if err != nil {
			return nil, err
		}
		if text := clientCommand(file); text != "" {
			all[result.RawPath(t.Key(), t.Attempt)] = text
		}
	}
	return all, nil
}

// clientCommand is the command of the first process of the client, as a shell
// takes it, with the number of others like it; empty if the file says none.
func clientCommand(file []byte) string {
	var commands struct {
		Client struct {
			Processes []struct {
				Argv []string `json:"argv"`
			} `json:"processes"`
		} `json:"client"`
	}
	if json.Unmarshal(file, &commands) != nil || len(commands.Client.Processes) == 0 {
		return ""
	}
	words := commands.Client.Processes[0].Argv
	for i, w := range words {
		words[i] = shellWord(w)
	}
	text := strings.Join(words, " ")
	if n := len(commands.Client.Processes) - 1; n > 0 {
		text += fmt.Sprintf("  # and %d more", n)
	}
	return text
}

// plainWord is what a shell takes as it is.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// shellWord quotes a word for a POSIX shell where it needs it.
func shellWord(w string) string {
	if plainWord.MatchString(w) {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// commandList numbers commands: many trials have the same.
type commandList struct {
	of    map[string]string // by evidence
	texts alikeTexts
	known map[string]int
	bytes int
}

func newCommandList(of map[string]string) *commandList {
	return &commandList{of: of, known: map[string]int{}}
}

// index numbers the command of a trial, as long as there is room for it.
func (l *commandList) index(block int, variant, cell string, attempt int) (int, bool) {
	text, ok := l.of[result.RawPath(result.Key{Block: block, Variant: variant, Cell: cell}, attempt)]
	if !ok {
		return 0, false
	}
	if i, ok := l.known[text]; ok {
		return i, true
	}
	last := ""
	if n := len(l.texts); n > 0 {
		last = l.texts[n-1]
	}
	if l.bytes += newAlike(last, text).size(); l.bytes > commandBytes {
		return 0, false
	}
	l.known[text] = len(l.texts)
	l.texts = append(l.texts, text)
	return len(l.texts) - 1, true
}
