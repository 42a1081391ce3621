package report

import (
	"fmt"
	"html"
	"html/template"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/result"
)

// topology is where load ran and which links it passed, drawn once for all
// variants that had the same.
type topology struct {
	Variants []string
	Plot     template.HTML
	Words    string // the same in words
}

// layout is what a drawing shows.
type layout struct {
	kernel string    // that all nodes share, if they do
	ends   [2]column // the client's and the server's
	same   bool      // both ends are on one node
	others []string  // nodes without load
	path   string    // what is known of the whole way
}

// column is one end of the load: its node, and its links from the pod to the
// wire.
type column struct {
	role, node, address string
	links               []result.Hop
}

// topologies draws what the environment recorded. Variants whose environment
// names no node have no drawing; Unknown lists them.
func topologies(a analysis.Analysis, env result.Environment) (drawn []topology, unknown []string) {
	index := map[string]int{}
	for _, planned := range a.Plan.Variants {
		l, ok := newLayout(env.Variants[planned.Name])
		if !ok {
			unknown = append(unknown, planned.Name)
			continue
		}
		words := l.words()
		i, known := index[words]
		if !known {
			i = len(drawn)
			index[words] = i
			drawn = append(drawn, topology{Plot: l.draw(), Words: words})
		}
		drawn[i].Variants = append(drawn[i].Variants, planned.Name)
	}
	return drawn, unknown
}

// nodeDifference is what differs between the client's node and the server's.
type nodeDifference struct {
	Variants []string
	Code     bool // asks for a fixed-width font, as in factGroup
	Facts    []fact
}

// nodeDifferences groups variants whose nodes differ alike; compared says
// whether any two nodes could be compared.
func nodeDifferences(a analysis.Analysis, env result.Environment) (list []nodeDifference, compared bool) {
	for _, planned := range a.Plan.Variants {
		v := env.Variants[planned.Name]
		if len(v.LoadNodes) < 2 || len(v.FactsOf(v.LoadNodes[0]).Values) == 0 || len(v.FactsOf(v.LoadNodes[1]).Values) == 0 {
			continue
		}
		compared = true
		facts := differences(v)
		if len(facts) == 0 {
			continue
		}
		i := slices.IndexFunc(list, func(d nodeDifference) bool { return slices.Equal(d.Facts, facts) })
		if i < 0 {
			i = len(list)
			list = append(list, nodeDifference{Code: true, Facts: facts})
		}
		list[i].Variants = append(list[i].Variants, planned.Name)
	}
	return list, compared
}

// newLayout reports false where it is not known on which nodes the load was.
func newLayout(v result.Variant) (layout, bool) {
	if len(v.LoadNodes) == 0 {
		return layout{}, false
	}
	client, server := v.LoadNodes[0], v.LoadNodes[len(v.LoadNodes)-1]
	l := layout{same: client == server, kernel: sharedKernel(v, client, server)}
	l.ends = [2]column{{role: "client", node: client}, {role: "server", node: server}}
	for _, n := range v.Nodes {
		switch n.Name {
		case client, server:
			for i := range l.ends {
				if l.ends[i].node == n.Name {
					l.ends[i].address = n.Address
				}
			}
		default:
			l.others = append(l.others, n.Name)
		}
	}
	var whole []string
	for _, h := range v.Path {
		switch {
		case h.Link == "":
			whole = append(whole, fmt.Sprintf("%s MTU %d", h.Place, h.MTU))
		case strings.HasPrefix(h.Place, "client"):
			l.ends[0].links = append(l.ends[0].links, h)
		case strings.HasPrefix(h.Place, "server"):
			l.ends[1].links = append(l.ends[1].links, h)
		}
	}
	slices.Reverse(l.ends[1].links)
	l.path = strings.Join(whole, ", ")
	return l, true
}

// sharedKernel is the release of the kernel on which both ends ran; empty if
// each had its own, or nobody looked.
func sharedKernel(v result.Variant, client, server string) string {
	for _, k := range v.Kernels {
		if len(k.Nodes) > 1 && slices.Contains(k.Nodes, client) && slices.Contains(k.Nodes, server) {
			return strings.TrimSpace("one kernel " + k.Values["kernel.release"])
		}
	}
	return ""
}

// words say what the drawing shows.
func (l layout) words() string {
	var b strings.Builder
	for i, end := range l.ends {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s on %s", end.role, end.node)
		if end.address != "" {
			fmt.Fprintf(&b, " (%s)", end.address)
		}
		for j, h := range end.links {
			if j == 0 {
				b.WriteString(", from the pod outwards: ")
			} else {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%s MTU %d", h.Link, h.MTU)
		}
	}
	switch {
	case l.same:
		b.WriteString("; both on one node, nothing crosses a link between nodes")
	case len(l.ends[0].links)+len(l.ends[1].links) == 0:
		b.WriteString("; the links between them were not recorded")
	}
	for _, s := range []string{l.path, l.kernel} {
		if s != "" {
			b.WriteString("; " + s)
		}
	}
	if len(l.others) > 0 {
		b.WriteString("; without load: " + strings.Join(l.others, ", "))
	}
	return b.String()
}

// Sizes of the drawing, in its own units: a phone shows one as one pixel.
const (
	topologyWidth = 360
	columnWidth   = 152
	linkHeight    = 22
	linkGap       = 6
	headHeight    = 40
	columnLetters = 21
)

// draw puts the two ends side by side, from the pods at the top to the wire at
// the bottom.
func (l layout) draw() template.HTML {
	rows := max(len(l.ends[0].links), len(l.ends[1].links))
	const top = 30
	bottom := top + headHeight + rows*(linkHeight+linkGap)
	height := bottom + 34
	if len(l.others) > 0 {
		height += 24
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" class="topology" role="img" aria-label="%s">`, topologyWidth, height, html.EscapeString(l.words()))
	if l.kernel != "" {
		fmt.Fprintf(&b, `<rect class="machine" x="1" y="1" width="%d" height="%d" rx="4"/>`, topologyWidth-2, height-2)
		topologyText(&b, 12, 19, "start", "quiet", "one machine, "+l.kernel, 2*columnLetters)
	}
	left, right := 14, topologyWidth-14-columnWidth
	if l.same {
		fmt.Fprintf(&b, `<rect class="node" x="%d" y="%d" width="%d" height="%d" rx="3"/>`, left-6, top, right+columnWidth-left+12, bottom-top+6)
	}
	for i, x := range []int{left, right} {
		l.drawEnd(&b, l.ends[i], x, top, bottom)
	}
	l.drawWire(&b, left, right, bottom)
	if len(l.others) > 0 {
		topologyText(&b, topologyWidth/2, height-12, "middle", "quiet", "without load: "+strings.Join(l.others, ", "), 2*columnLetters+8)
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

func (l layout) drawEnd(b *strings.Builder, end column, x, top, bottom int) {
	if !l.same {
		fmt.Fprintf(b, `<rect class="node" x="%d" y="%d" width="%d" height="%d" rx="3"/>`, x-6, top, columnWidth+12, bottom-top+6)
	}
	topologyText(b, x, top+17, "start", "strong", end.role+" on "+end.node, columnLetters)
	if end.address != "" {
		topologyText(b, x, top+32, "start", "quiet", end.address, columnLetters)
	}
	y := bottom - len(end.links)*(linkHeight+linkGap)
	for i, h := range end.links {
		class := "link"
		if strings.HasSuffix(h.Place, " pod") {
			class = "link pod"
		} else if strings.HasPrefix(h.Link, "tunnel ") {
			class = "link tunnel"
		}
		if i > 0 {
			fmt.Fprintf(b, `<path class="wire" d="M%d %dv%d"/>`, x+columnWidth/2, y-linkGap, linkGap)
		}
		fmt.Fprintf(b, `<rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="2"/>`, class, x, y, columnWidth, linkHeight)
		name := h.Link
		if class == "link pod" {
			name = "pod " + name
		}
		topologyText(b, x+7, y+15, "start", "", name, columnLetters-5)
		topologyText(b, x+columnWidth-7, y+15, "end", "", fmt.Sprint(h.MTU), 6)
		y += linkHeight + linkGap
	}
}

// drawWire joins the ends below the nodes.
func (l layout) drawWire(b *strings.Builder, left, right, bottom int) {
	const depth = 14
	from, to := left+columnWidth/2, right+columnWidth/2
	start := bottom - linkGap
	if len(l.ends[0].links)+len(l.ends[1].links) == 0 {
		start = bottom + linkGap
	}
	fmt.Fprintf(b, `<path class="wire" d="M%d %dV%dH%dV%d"/>`, from, start, bottom+depth, to, start)
	label := l.path
	if label == "" {
		label = "links not recorded"
	}
	topologyText(b, topologyWidth/2, bottom+depth+14, "middle", "quiet", label, 2*columnLetters)
}

// topologyText writes at most so many letters; the whole is its title then.
func topologyText(b *strings.Builder, x, y int, anchor, class, text string, letters int) {
	title := ""
	if runes := []rune(text); len(runes) > letters {
		title = "<title>" + html.EscapeString(text) + "</title>"
		text = string(runes[:letters-1]) + "…"
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="%s"`, x, y, anchor)
	if class != "" {
		fmt.Fprintf(b, ` class="%s"`, class)
	}
	fmt.Fprintf(b, ">%s%s</text>", title, html.EscapeString(text))
}
