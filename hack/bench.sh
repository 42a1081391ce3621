#!/bin/sh
# Measures the speeds that the project promises, on this machine, now: of labs,
# of the probe, or of all without an argument. Nothing is asserted: figures
# depend on the machine and on what else it does. What follows the topic goes to
# its program; docs/performance.md has the figures.
set -eu
cd "$(dirname "$0")/.."
topic=${1:-all}
[ $# -eq 0 ] || shift
lab() { hack/bench/lab.sh; }
probe() { go run ./hack/bench/probe "$@"; }
case $topic in
all) lab && probe ;;
lab) lab ;;
probe) probe "$@" ;;
*)
	echo "bench: there is no topic $topic: lab, probe or all" >&2
	exit 2
	;;
esac
