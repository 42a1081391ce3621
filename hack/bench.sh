#!/bin/sh
# Measures the speeds that the project promises, on this machine, now: of labs
# and of the probe; stats and verdict simulate what its verdicts promise and how
# long one takes, import reads a tree of 5 GiB, which it makes, page opens a
# large report in Chromium. Without an argument it does all. Nothing is asserted:
# figures depend on the machine and on what else it does. What follows the topic
# goes to its program;
# docs/performance.md, docs/validation.md and docs/methodology.md have the
# figures.
set -eu
cd "$(dirname "$0")/.."
topic=${1:-all}
[ $# -eq 0 ] || shift
lab() { hack/bench/lab.sh; }
probe() { go run ./hack/bench/probe "$@"; }
stats() { go run ./hack/bench/stats "$@"; }
verdict() { go run ./hack/bench/verdict "$@"; }
import() { go run ./hack/bench/import "$@"; }
page() { go test -count=1 -tags e2e -run TestE2EOpening -v ./internal/report -openings "${1:-10}"; }
case $topic in
all) lab && probe && stats && verdict && import && page ;;
lab) lab ;;
probe) probe "$@" ;;
stats) stats "$@" ;;
verdict) verdict "$@" ;;
import) import "$@" ;;
page) page "$@" ;;
*)
	echo "bench: there is no topic $topic: lab, probe, stats, verdict, import, page or all" >&2
	exit 2
	;;
esac
