package claims

// Unit is that of a claim's number. Base is the unit of cnibench's metrics, or
// Name itself where cnibench measures nothing in it; Factor is how many of them
// one is.
type Unit struct {
	Name   string
	Base   string
	Factor float64
}

// measured are the units of what cnibench measures.
var measured = map[string]struct {
	base   string
	factor float64
}{
	"bit/s": {"bit/s", 1}, "kbit/s": {"bit/s", 1e3}, "Mbit/s": {"bit/s", 1e6}, "Gbit/s": {"bit/s", 1e9},
	"MB/s": {"bit/s", 8e6},
	"s":    {"s", 1}, "ms": {"s", 1e-3}, "us": {"s", 1e-6}, "ns": {"s", 1e-9},
	"bytes": {"bytes", 1}, "kB": {"bytes", 1e3}, "MB": {"bytes", 1e6}, "GB": {"bytes", 1e9},
	"KiB": {"bytes", 1 << 10}, "MiB": {"bytes", 1 << 20}, "GiB": {"bytes", 1 << 30},
	"cores": {"cores", 1}, "mCPU": {"cores", 1e-3},
	"percent": {"percent", 1}, "1/s": {"1/s", 1}, "segments/s": {"segments/s", 1}, "streams": {"streams", 1},
	"mCPU/(Gbit/s)": {"mCPU/(Gbit/s)", 1},
}

// NewUnit returns the unit of that name. Any name is a unit; only those of
// cnibench's metrics can be compared with results.
func NewUnit(name string) Unit {
	if m, ok := measured[name]; ok {
		return Unit{name, m.base, m.factor}
	}
	return Unit{name, name, 1}
}
