package prose

import "strings"

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`,
	"<", "&lt;", ">", "&gt;", "&", "&amp;", "#", `\#`, "~", `\~`, "@", "@\u2060", "\n", " ", "\r", " ",
)

// Markdown keeps names and reasons from being taken for markup or HTML, also
// within a table, and from calling somebody: an invisible word joiner parts an
// @ from what follows.
func Markdown(s string) string { return markdownEscapes.Replace(s) }
