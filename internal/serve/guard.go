package serve

import (
	"net"
	"net/http"
	"slices"
	"strings"
)

// guard answers requests that only read, and that were meant for this server.
// A page of somebody else's site in the same browser must not get at results:
// a name of its own that leads to this machine (DNS rebinding) is refused, and
// so is what it fetches from here to put into itself.
func guard(names []string, policy string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "results can be read here, nothing else: use GET or HEAD", http.StatusMethodNotAllowed)
		case !isOurs(r.Host, names):
			http.Error(w, "this server does not go by that name: use the address that it printed, or name it with --name", http.StatusForbidden)
		case r.Header.Get("Sec-Fetch-Site") == "cross-site" && r.Header.Get("Sec-Fetch-Mode") != "navigate":
			http.Error(w, "another site may link to this page, not load it", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isOurs tells whether a Host header names this server: by an address, which
// nobody else can make lead here, as localhost, or by a name that was given.
// The port may be that of a tunnel.
func isOurs(host string, names []string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(name, "["), "]"))
	return name == "localhost" || net.ParseIP(name) != nil || slices.Contains(names, name)
}

// policy is what pages may do: show themselves, run the server's own script and
// those that the report itself has, whose digests are given, and ask this
// server. Names in results cannot add a script, should one ever get unescaped
// into a page.
func policy(scripts []string) string {
	return "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; script-src " + strings.Join(append([]string{"'self'"}, scripts...), " ")
}
