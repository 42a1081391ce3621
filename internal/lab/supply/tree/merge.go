package tree

import (
	"path"
	"strings"
)

// topLinks are the directories that are links into /usr in the merged layout
// (https://wiki.debian.org/UsrMerge). Packages may still carry the old paths.
var topLinks = map[string]bool{
	"bin": true, "sbin": true, "lib": true, "lib32": true, "lib64": true, "libx32": true, "libo32": true,
}

// Merged turns any spelling of a path into the clean relative path of the
// merged layout: "./bin/sh" becomes "usr/bin/sh". The root, and paths that try
// to leave it, become paths below the root.
func Merged(name string) string {
	clean := strings.TrimPrefix(path.Clean("/"+name), "/")
	first, rest, below := strings.Cut(clean, "/")
	if below && topLinks[first] {
		return "usr/" + first + "/" + rest
	}
	return clean
}
