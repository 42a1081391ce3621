package figure

import _ "embed" // for the style

// Style is the style sheet of all figures. It takes --ink, --muted, --line,
// --faint and --paper from the page.
//
//go:embed style.css
var Style string
