#!/bin/sh
# Measures the speeds that the project promises, on this machine, now: of labs,
# of the probe, or of all without an argument; stats simulates what its verdicts
# promise; import reads a tree of 5 GiB, which it makes. Nothing is asserted: figures depend on the machine and on what else it
# does. What follows the topic goes to its program; docs/performance.md and
# docs/methodology.md have the figures.
set -eu
cd "$(dirname "$0")/.."
topic=${1:-all}
[ $# -eq 0 ] || shift
lab() { hack/bench/lab.sh; }
probe() { go run ./hack/bench/probe "$@"; }
stats() { go run ./hack/bench/stats "$@"; }
import() { go run ./hack/bench/import "$@"; }
case $topic in
all) lab && probe && stats ;;
lab) lab ;;
probe) probe "$@" ;;
stats) stats "$@" ;;
import) import "$@" ;;
*)
	echo "bench: there is no topic $topic: lab, probe, stats, import or all" >&2
	exit 2
	;;
esac
