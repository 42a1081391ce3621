package cli

import "runtime/debug"

// linkedVersion is set by the release build.
var linkedVersion string

// version names the build: a release, or the commit it was built from.
func version() string {
	if linkedVersion != "" {
		return linkedVersion
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "devel " + s.Value[:min(12, len(s.Value))]
		}
	}
	return "devel"
}
