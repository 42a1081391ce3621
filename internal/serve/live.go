package serve

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
)

//go:embed page
var pageFiles embed.FS

var templates = template.Must(template.ParseFS(pageFiles, "page/*.tmpl.html"))

// bar is what a page shows above its content: how far a campaign is, and where
// else to go.
type bar struct {
	Status  status
	Shown   string // version of the content
	Style   template.CSS
	Up      string // address of the list of campaigns; empty: there is none
	Raw     string // address of the evidence; empty: there is none
	Counted bool   // there are trials to be counted
}

// framed is a page of this server's own.
type framed struct {
	Title string
	Style template.CSS
	Bar   bar
	Body  any
}

// problem is why something cannot be shown.
type problem struct{ Title, Text, Hint, Up string }

// serveScript serves the script that keeps pages up to date.
func serveScript(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	_, _ = w.Write(asset("live.js")) // the reader may have gone
}

// campaign shows one campaign: its report, or why there is none.
func (s *server) campaign(w http.ResponseWriter, r *http.Request, c *campaign) {
	page := s.rendered(c)
	seen := c.look()
	b := bar{Status: seen.status, Shown: page.version, Raw: "raw/", Counted: seen.problem == nil}
	if s.many {
		b.Up = "/"
	}
	if page.problem == nil {
		body, err := alive(page.body, b)
		if err == nil {
			s.html(w, http.StatusOK, body)
			return
		}
		page.problem = err
	}
	s.log("%s: %v", c.place.path(), page.problem)
	b.Raw = ""
	b.Status = status{State: unreadable, Headline: "These results cannot be read"}
	s.frame(w, r, http.StatusServiceUnavailable, "problem", framed{Title: "These results cannot be shown", Bar: b, Body: problem{
		Title: "These results cannot be shown",
		Text:  page.problem.Error(),
		Hint:  "The page comes back by itself when the files can be read again.",
	}})
}

// alive adds the bar and the script to a report. Everything else in it stays as
// it is in a file, the link that skips to the answer in front. Names in a report are escaped, so the first tags of their
// kind are the page's own.
func alive(report []byte, b bar) ([]byte, error) {
	b.Style = template.CSS(asset("bar.css"))
	var top, head bytes.Buffer
	if err := templates.ExecuteTemplate(&top, "bar", b); err != nil {
		return nil, err
	}
	if err := templates.ExecuteTemplate(&head, "head", b); err != nil {
		return nil, err
	}
	page := bytes.Replace(report, []byte("</head>"), append(head.Bytes(), "</head>"...), 1)
	return bytes.Replace(page, []byte("<header"), append(top.Bytes(), "<header"...), 1), nil
}

// problem answers with a page that says why there is no other.
func (s *server) problem(w http.ResponseWriter, r *http.Request, code int, p problem) {
	s.frame(w, r, code, "problem", framed{Title: p.Title, Bar: bar{Up: p.Up}, Body: p})
}

// frame answers with a page of the server's own.
func (s *server) frame(w http.ResponseWriter, r *http.Request, code int, name string, f framed) {
	f.Style, f.Bar.Style = template.CSS(asset("frame.css")), template.CSS(asset("bar.css"))
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, f); err != nil {
		s.log("%s: %v", r.URL.Path, err)
		http.Error(w, "a fault of cnibench: "+err.Error(), http.StatusInternalServerError)
		return
	}
	s.html(w, code, b.Bytes())
}

func (s *server) html(w http.ResponseWriter, code int, body []byte) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write(body) // the reader may have gone
}

// asset reads one of the files that are built in.
func asset(name string) []byte {
	data, err := pageFiles.ReadFile("page/" + name)
	if err != nil {
		panic(err) // it is built in
	}
	return data
}
