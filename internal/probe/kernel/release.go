package kernel

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Version is what a kernel's release begins with: major, minor, patch.
type Version [3]int

// ParseRelease reads the version out of a release such as "6.1.0-13-amd64" or
// "5.15.0-1057-aws", or of a requirement such as "5.10". Distributions freeze
// the last number, so it says little.
func ParseRelease(release string) (Version, error) {
	var v Version
	rest := release
	for i := range v {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		n, err := strconv.Atoi(rest[:digits])
		if err != nil {
			return Version{}, fmt.Errorf("%q is no kernel release: want 6.1 or 6.1.0-13-amd64", release)
		}
		v[i] = n
		var more bool
		if rest, more = strings.CutPrefix(rest[digits:], "."); !more || rest == "" || rest[0] < '0' || rest[0] > '9' {
			if i == 0 {
				return Version{}, fmt.Errorf("%q is no kernel release: want 6.1 or 6.1.0-13-amd64", release)
			}
			break
		}
	}
	return v, nil
}

// Compare is negative if v is older than other, positive if it is newer.
func (v Version) Compare(other Version) int {
	return cmp.Or(cmp.Compare(v[0], other[0]), cmp.Compare(v[1], other[1]), cmp.Compare(v[2], other[2]))
}
