package docs

import "strings"

// Block is a fenced block of a Markdown page.
type Block struct {
	Line     int    // of the opening fence, from 1
	Language string // first word after the fence
	Argument string // second word
	Text     string // with its final newline
}

// Runs tells whether the block is a script for the unit tests.
func (b Block) Runs() bool { return b.Language == "sh" && b.Argument == "run" }

// NeedsLab tells whether the block is a script for the end-to-end tests.
func (b Block) NeedsLab() bool { return b.Language == "sh" && b.Argument == "lab" }

// NeedsReaders tells whether the block is a script for the tests of what is
// exported, which have the programs that read it.
func (b Block) NeedsReaders() bool { return b.Language == "sh" && b.Argument == "readers" }

// File is the name of the file that the block shows, or empty.
func (b Block) File() string {
	if b.Language == "sh" {
		return ""
	}
	return b.Argument
}

const fence = "```"

// Parse separates the fenced blocks of a page from its prose. The prose keeps
// its line numbers: the lines of blocks are empty in it.
func Parse(page string) (blocks []Block, prose string) {
	var rest strings.Builder
	var open *Block
	line := 0
	for text := range strings.Lines(page) {
		line++
		info, isFence := strings.CutPrefix(strings.TrimSpace(text), fence)
		switch {
		case isFence && open != nil:
			blocks, open = append(blocks, *open), nil
		case isFence:
			words := append(strings.Fields(info), "", "")
			open = &Block{Line: line, Language: words[0], Argument: words[1]}
		case open != nil:
			open.Text += text
		default:
			rest.WriteString(text)
			continue
		}
		rest.WriteByte('\n')
	}
	return blocks, rest.String()
}
