package report

import "github.com/cnibench/cnibench/internal/result"

// warningGroup is what warnings of one code say.
type warningGroup struct {
	Code string
	// Hint is what all of them advise; where they do not agree it is in the
	// messages instead.
	Hint     string
	Messages []warningMessage
}

type warningMessage struct{ Text, Hint string }

// groupWarnings puts warnings of one code together, in the order in which the
// codes appear: a campaign of many cells has the same one for most of them.
func groupWarnings(list []result.Warning) []warningGroup {
	var groups []warningGroup
	index := map[string]int{}
	for _, w := range list {
		i, known := index[w.Code]
		if !known {
			i = len(groups)
			index[w.Code] = i
			groups = append(groups, warningGroup{Code: w.Code, Hint: w.Hint})
		}
		g := &groups[i]
		g.Messages = append(g.Messages, warningMessage{Text: w.Message, Hint: w.Hint})
		if w.Hint != g.Hint {
			g.Hint = ""
		}
	}
	for i := range groups {
		if groups[i].Hint == "" {
			continue
		}
		for j := range groups[i].Messages {
			groups[i].Messages[j].Hint = ""
		}
	}
	return groups
}
