#!/bin/sh
# Shows a results directory in a time series database: starts one on the
# loopback interface, loads the export, prints addresses, opens the first, and
# ends with Ctrl-C. Nothing of it stays, and nothing is in the way of a second
# one.
#
#     hack/dashboards.sh DIR
#
# Where containers can be pulled it is VictoriaMetrics and Grafana with the
# dashboards of deploy/dashboards. Elsewhere it is Debian's VictoriaMetrics,
# and Prometheus for a page to look at where VictoriaMetrics comes without one.
#
#     WITH=containers|packages   choose instead of trying
#     NO_OPEN=1                  open no browser
set -eu
cd "$(dirname "$0")/.."
cnibench=${CNIBENCH:-bin/cnibench}
compose=deploy/dashboards/compose.yaml

fail() { # MESSAGE HINT
	echo "dashboards: error: $1" >&2
	echo "dashboards: hint: $2" >&2
	exit 1
}

say() { echo "dashboards: $*" >&2; }

results=${1-}
[ -n "$results" ] || fail "no results directory" "make dashboards DIR=results/NAME"
[ -f "$results/trials.jsonl" ] || fail "$results is not a results directory" 'give one that `cnibench run` wrote'
[ -x "$cnibench" ] || fail "$cnibench is not there" "make build"
command -v curl >/dev/null || fail "curl is not installed" "apt-get install curl"

work=$(mktemp -d)
pids=
nap=
project=
# Everything that was started is ended, whatever ends us.
end() {
	trap '' INT TERM
	for pid in $pids $nap; do kill "$pid" 2>/dev/null || true; done
	for pid in $pids; do wait "$pid" 2>/dev/null || true; done
	[ -z "$project" ] || docker compose -f "$compose" -p "$project" down -v >/dev/null 2>&1 || true
	rm -rf "$work"
}
trap end EXIT
trap 'exit 0' INT TERM

# export_results: with the series of the trials where the evidence is there.
# What cannot be read was named on stderr; the rest is worth looking at.
export_results() {
	series=
	[ -d "$results/raw" ] && series=--series
	"$cnibench" export "$results" $series --out "$work/results.om" || [ -s "$work/results.om" ] || exit 1
}

# wait_for URL PID LOG: until it answers; without PID at most a minute.
wait_for() {
	tries=0
	until curl -fsS -o /dev/null "$1" 2>/dev/null; do
		if [ -n "$2" ] && ! kill -0 "$2" 2>/dev/null; then
			cat "$3" >&2
			return 1
		fi
		tries=$((tries + 1))
		[ "$tries" -lt 600 ] || return 1
		sleep 0.1
	done
}

# start PROGRAM READY FLAG ARGUMENTS…: on an address that it leaves in $address
# and gives the program with FLAG, until http://address/READY answers. A port
# that somebody else has is tried again with another.
start() {
	program=$1 ready=$2 flag=$3
	shift 3
	for _ in 1 2 3 4 5; do
		address=127.0.0.1:$(shuf -i 20000-32000 -n 1)
		"$program" "$@" "$flag=$address" >"$work/$program.log" 2>&1 &
		pid=$!
		if wait_for "http://$address$ready" "$pid" "$work/$program.log" && kill -0 "$pid" 2>/dev/null; then
			pids="$pids $pid"
			return
		fi
		kill "$pid" 2>/dev/null || true
	done
	fail "$program does not start" "its messages are above"
}

load() { # URL
	curl -fsS -T "$work/results.om" "$1/api/v1/import/prometheus" >/dev/null || fail "VictoriaMetrics at $1 does not take the export" "see its log"
	curl -fsS -o /dev/null "$1/internal/force_flush"
}

# with_containers starts the compose file, or says why it cannot.
with_containers() {
	docker compose version >/dev/null 2>&1 || return 1
	project=cnibench-$$
	VICTORIAMETRICS_PORT=$(shuf -i 20000-26000 -n 1)
	GRAFANA_PORT=$(shuf -i 26001-32000 -n 1)
	export VICTORIAMETRICS_PORT GRAFANA_PORT
	if ! docker compose -f "$compose" -p "$project" up -d >"$work/compose.log" 2>&1; then
		docker compose -f "$compose" -p "$project" down -v >/dev/null 2>&1 || true
		project=
		return 1
	fi
	wait_for "http://127.0.0.1:$VICTORIAMETRICS_PORT/health" "" "" || fail "VictoriaMetrics does not answer" "docker compose -f $compose logs"
	load "http://127.0.0.1:$VICTORIAMETRICS_PORT"
	wait_for "http://127.0.0.1:$GRAFANA_PORT/api/health" "" "" || fail "Grafana does not answer" "docker compose -f $compose logs"
	page=http://127.0.0.1:$GRAFANA_PORT/d/cnibench-variants
	echo "Grafana:         $page"
	echo "VictoriaMetrics: http://127.0.0.1:$VICTORIAMETRICS_PORT"
}

with_packages() {
	command -v victoria-metrics >/dev/null || fail "neither containers nor VictoriaMetrics can be had here" "apt-get install victoria-metrics prometheus"
	start victoria-metrics /health -httpListenAddr -storageDataPath="$work/victoria-metrics" -retentionPeriod=100y -search.disableCache -search.disableAutoCacheReset -search.latencyOffset=0s
	load "http://$address"
	page=http://$address/vmui/
	curl -fsS -o /dev/null "$page" 2>/dev/null || page=
	echo "VictoriaMetrics: http://$address"
	[ -n "$page" ] || with_prometheus
	links
}

# with_prometheus is for a page to look at: Debian's VictoriaMetrics has none.
with_prometheus() {
	command -v promtool >/dev/null || { say "for a page to look at: apt-get install prometheus"; return; }
	promtool tsdb create-blocks-from openmetrics "$work/results.om" "$work/prometheus" >"$work/promtool.log" 2>&1 ||
		fail "promtool does not take the export" "$(tail -n 1 "$work/promtool.log")"
	echo 'global: {}' >"$work/prometheus.yml"
	start prometheus /-/ready --web.listen-address --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/prometheus" --storage.tsdb.retention.time=100y
	page=http://$address/classic/graph
	echo "Prometheus:      http://$address"
}

# links prints pages with ready queries, the first of which is opened.
links() {
	[ -n "$page" ] || return 0
	first=
	for query in \
		'last_over_time(cnibench_summary_median[10y])' \
		'last_over_time(cnibench_comparison_effect{kind="primary"}[10y]) * on (campaign, run, cell, metric, a, b) group_left (verdict) last_over_time(cnibench_comparison_verdict_info[10y])' \
		'last_over_time(cnibench_trial_status_info[10y])'; do
		encoded=$(printf %s "$query" | sed 's/%/%25/g; s/ /%20/g; s/"/%22/g; s/{/%7B/g; s/}/%7D/g; s/\[/%5B/g; s/\]/%5D/g; s/+/%2B/g; s/=/%3D/g; s/,/%2C/g; s/\*/%2A/g')
		link="$page?g0.expr=$encoded&g0.tab=1"
		[ -n "$first" ] || first=$link
		echo "  $link"
	done
	page=$first
}

case ${WITH-} in
containers) export_results; with_containers || { cat "$work/compose.log" >&2 2>/dev/null || true; fail "the containers do not start" "WITH=packages make dashboards DIR=$results"; } ;;
packages) export_results; with_packages ;;
'') export_results; with_containers || with_packages ;;
*) fail "WITH=$WITH is unknown" "WITH=containers or WITH=packages" ;;
esac
if [ -z "${NO_OPEN-}" ] && [ -n "$page" ] && command -v xdg-open >/dev/null; then
	xdg-open "$page" >/dev/null 2>&1 &
fi
echo "Ctrl-C ends it."
while :; do
	for pid in $pids; do
		kill -0 "$pid" 2>/dev/null || fail "a server ended by itself" "free memory or disk, and try again"
	done
	# A sleep in the background lets a signal through at once.
	sleep 5 &
	nap=$!
	wait "$nap" || true
done
