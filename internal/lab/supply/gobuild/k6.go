package gobuild

// K6 is the load generator for HTTP.
func K6() Program {
	const k6 = "go.k6.io/k6"
	return Program{
		Name: "k6", Module: "k6", Release: k6, Package: k6, Output: "k6",
		Space: Space{Modules: gib / 2, Cache: gib, Result: gib / 8},
	}
}
