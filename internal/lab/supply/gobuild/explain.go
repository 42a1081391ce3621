package gobuild

import (
	"errors"
	"strings"
	"syscall"

	"github.com/cnibench/cnibench/internal/lab/supply/advice"
	"github.com/cnibench/cnibench/internal/lab/supply/command"
)

// causes are what go's last words tell about a failure, most telling first.
var causes = []struct {
	words  []string
	remedy string
}{
	{
		[]string{"no space left on device", "disk quota exceeded"},
		"free some space, or put the caches elsewhere with CNIBENCH_CACHE, GOCACHE and GOMODCACHE",
	},
	{
		[]string{"checksum mismatch", "SECURITY ERROR", "verifying module"},
		"a module is not what this cnibench was made with, or could not be checked: look at GOPROXY and GOSUMDB, and do not switch the check off",
	},
	{
		[]string{"signal: killed", "cannot allocate memory"},
		"the machine ran out of memory: stop other programs or build with GOMAXPROCS=1",
	},
	{
		[]string{"requires go >= ", "toolchain not available", "toolchain upgrade needed"},
		"install a newer Go from https://go.dev/dl/",
	},
	{
		[]string{
			"dial tcp", "no such host", "i/o timeout", "connection refused", "connection reset", "TLS handshake", "x509:",
			"proxyconnect", "404 Not Found", "410 Gone", "403 Forbidden", "unexpected EOF", "disabled by GOPROXY",
		},
		"check the network, and set GOPROXY (and HTTPS_PROXY) to a module proxy that this machine reaches; what is downloaded already is kept",
	},
}

// explain adds to a failed build what to do about it, if its words say so.
func explain(err error) error {
	words := err.Error()
	if errors.Is(err, syscall.ENOSPC) {
		words += " no space left on device"
	}
	for _, cause := range causes {
		for _, w := range cause.words {
			if strings.Contains(words, w) {
				return advice.Wrap(err, cause.remedy)
			}
		}
	}
	var failure *command.Failure
	if errors.As(err, &failure) {
		return advice.Wrap(err, "this is a bug of cnibench or of the module; the versions are pinned, so please report it with the output above")
	}
	return err
}
