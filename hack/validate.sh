#!/bin/sh
# Proves on real labs that verdicts hold, as root, or judges again what was
# measured: see docs/validation.md. Without an argument it measures all that is
# missing, some three hours; what is interrupted goes on where it was.
set -eu
cd "$(dirname "$0")/.."
validation() { go run ./hack/validation "$@"; }
if [ $# -eq 0 ]; then
	for kind in shaped aa free; do validation "$kind" -length 12h; done
else
	validation "$@"
fi
