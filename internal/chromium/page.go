package chromium

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Page is one tab.
type Page struct {
	b        *Browser
	session  string
	allowed  string // the one address that may be asked for
	problems []string
	loaded   chan struct{}
}

// Open shows an address in a new tab and waits until it is loaded. The
// browser has one page at a time.
func (b *Browser) Open(address string) *Page {
	b.t.Helper()
	var target struct{ TargetID string }
	b.call("", "Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	p := &Page{b: b, session: attached.SessionID, allowed: address, loaded: make(chan struct{}, 8)}
	b.mu.Lock()
	b.events = p.event
	b.mu.Unlock()
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.call(p.session, domain+".enable", nil, nil)
	}
	b.call(p.session, "Page.navigate", map[string]any{"url": address}, nil)
	select {
	case <-p.loaded:
	case <-time.After(patience):
		b.t.Fatalf("%s was not loaded within %v", address, patience)
	}
	return p
}

// event notes what a page must not do; it runs in the goroutine that reads.
func (p *Page) event(m message) {
	if m.Session != p.session {
		return
	}
	if m.Method == "Page.loadEventFired" {
		p.loaded <- struct{}{}
	}
	if text := problem(m, p.allowed); text != "" {
		p.b.mu.Lock()
		p.problems = append(p.problems, text)
		p.b.mu.Unlock()
	}
}

// Problems lists errors and warnings on the console, exceptions, and requests
// for anything but the page itself.
func (p *Page) Problems() []string {
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	return slices.Clone(p.problems)
}

// Evaluate executes JavaScript, waits for a promise, and reads the value into
// result, which may be nil.
func (p *Page) Evaluate(expression string, result any) {
	p.b.t.Helper()
	var answer struct {
		Result  struct{ Value json.RawMessage }
		Details *struct {
			Text      string
			Exception struct{ Description string }
		} `json:"exceptionDetails"`
	}
	p.b.call(p.session, "Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &answer)
	if d := answer.Details; d != nil {
		p.b.t.Fatalf("evaluating: %s %s", d.Text, d.Exception.Description)
	}
	if result == nil {
		return
	}
	if err := json.Unmarshal(answer.Result.Value, result); err != nil {
		p.b.t.Fatalf("evaluating: %v", err)
	}
}

// Scheme asks for "light" or "dark".
func (p *Page) Scheme(name string) {
	p.b.t.Helper()
	p.b.call(p.session, "Emulation.setEmulatedMedia", map[string]any{
		"features": []map[string]string{{"name": "prefers-color-scheme", "value": name}},
	}, nil)
}

// Size sets the window in CSS pixels.
func (p *Page) Size(width, height int) {
	p.b.t.Helper()
	p.b.call(p.session, "Emulation.setDeviceMetricsOverride", map[string]any{
		"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600,
	}, nil)
}

// Press sends a key, such as "Tab" or "Enter".
func (p *Page) Press(key string) {
	p.b.t.Helper()
	text := map[string]string{"Enter": "\r"}[key]
	code := map[string]int{"Enter": 13, "Tab": 9, "Escape": 27}[key]
	for _, kind := range []string{"keyDown", "keyUp"} {
		p.b.call(p.session, "Input.dispatchKeyEvent", map[string]any{"type": kind, "key": key, "code": key, "text": text, "windowsVirtualKeyCode": code}, nil)
	}
}

// Screenshot returns the window as PNG.
func (p *Page) Screenshot() []byte {
	p.b.t.Helper()
	return p.data("Page.captureScreenshot", map[string]any{"format": "png"})
}

// Print returns the page as PDF, with its backgrounds.
func (p *Page) Print() []byte {
	p.b.t.Helper()
	return p.data("Page.printToPDF", map[string]any{"printBackground": true, "preferCSSPageSize": true, "paperWidth": 8.27, "paperHeight": 11.69})
}

func (p *Page) data(method string, params map[string]any) []byte {
	p.b.t.Helper()
	var answer struct{ Data string }
	p.b.call(p.session, method, params, &answer)
	data, err := base64.StdEncoding.DecodeString(answer.Data)
	if err != nil {
		p.b.t.Fatal(fmt.Errorf("%s: %w", method, err))
	}
	return data
}
