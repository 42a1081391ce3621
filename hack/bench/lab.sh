#!/bin/sh
# Measures the speeds of labs and campaigns; hack/bench.sh calls it.
set -eu
cnibench=${CNIBENCH:-bin/cnibench}
lab=bench
out=$(mktemp -d)
trap '"$cnibench" lab down $lab >/dev/null 2>&1 || true; rm -rf "$out"' EXIT INT TERM
cores() { awk '/^processor/ {n++} END {print n}' /proc/cpuinfo; }
gbits() { sed -n 's/.*"bits_per_second":[[:space:]]*\([0-9.e+]*\).*/\1/p' | tail -n 1 | awk '{printf "%.2f", $1 / 1e9}'; }

echo "machine: $(uname -r), $(cores) cores, load $(cut -d' ' -f1 /proc/loadavg)"
"$cnibench" lab supply >/dev/null

echo "== lab up: three nodes, Flannel, first pod-to-pod reply (warm cache; goal: 10 s, 1.3 GiB)"
for n in 1 2 3; do
	"$cnibench" lab up $lab 2>&1 >/dev/null | sed 's/^/  /'
	"$cnibench" lab list | awk -v lab=$lab '$1 == lab {print "  memory " $8 " " $9}'
	[ "$n" = 3 ] || "$cnibench" lab down $lab 2>/dev/null
done
"$cnibench" lab down $lab 2>/dev/null

echo "== host-network pods against iperf3 by hand, between the same two namespaces (goal: within 5 %)"
cat >"$out/host.yaml" <<-YAML
	apiVersion: cnibench.io/v1alpha1
	kind: Campaign
	metadata: {name: host-against-hand}
	spec:
	  cluster: {lab: {nodes: 2}}
	  variants: [host]
	  scenarios: [{name: tcp-pod-single, duration: 5s, omit: 1s}]
	  blocks: 6
	  freshCluster: false
YAML
"$cnibench" run -f "$out/host.yaml" --out "$out/host" --keep >/dev/null 2>"$out/host.log" || cat "$out/host.log"
"$cnibench" report "$out/host" --format csv >"$out/host.csv"
name=$("$cnibench" lab list | awk '/run host-against-hand/ {print $1}')
"$cnibench" lab resume "$name" 2>/dev/null
server=$("$cnibench" lab kubectl "$name" -- -n cnibench get pod server-pod-cross-node -o 'jsonpath={.status.podIP}')
for n in 1 2 3 4 5 6; do
	"$cnibench" lab exec "$name" node2 -- iperf3 -s -1 -p 5999 >/dev/null &
	sleep 0.5
	"$cnibench" lab exec "$name" node1 -- iperf3 -c "$server" -p 5999 -t 5 -O 1 -J |
		sed -n '/"sum_received"/,/}/p' | gbits
	echo
	wait
done | sed 's/^/  by hand  /;s/$/ Gbit\/s/'
awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) c[$i] = i} $c["metric"] == "throughput" {printf "  in pods  %.2f Gbit/s\n", $c["value"] / 1e9}' "$out/host.csv"
"$cnibench" lab down "$name" 2>/dev/null

echo "== the quick campaign (warm; goal: 5 minutes, 2.5 times its measured seconds)"
start=$(date +%s)
"$cnibench" run --out "$out/quick" >/dev/null 2>"$out/quick.log" || tail -n 3 "$out/quick.log"
seconds=$(($(date +%s) - start))
awk -v s=$seconds 'BEGIN {printf "  %d s for 120 s measured (180 s with warm-up): %.2f times (%.2f)\n", s, s / 120, s / 180}'

echo "== udp-zero-loss on links shaped to known rates, ten searches each (goal: every bracket holds the rate, 60 s a search)"
CNIBENCH_ZERO_LOSS_RUNS=10 go test -count=1 -timeout 60m -tags e2e -run TestZeroLossBracketsTheRateOfALink -v ./internal/scenario >"$out/zero-loss.log" || true
sed -n 's/.*_test.go:[0-9]*: \(.* trials in .*\|[np]dr: .*\)/  \1/p; /--- FAIL/p; /--- SKIP/p' "$out/zero-loss.log"
