#!/bin/sh
# Installs the Debian packages that labs and tests need on the machine itself,
# if any is missing. What runs inside labs is not installed, see `cnibench lab
# supply`. With --tests also what only tests and benchmarks run.
set -eu
packages="util-linux iproute2 ca-certificates"
if [ "${1-}" = --tests ]; then
	packages="$packages curl iperf3 prometheus prometheus-node-exporter python3-venv victoria-metrics"
	# These may come from elsewhere than Debian.
	command -v chromium >/dev/null || packages="$packages chromium"
	command -v npm >/dev/null || packages="$packages npm"
fi
missing=
for package in $packages; do
	dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
done
[ -z "$missing" ] && exit 0
echo "installing$missing"
apt-get update -q
# Word splitting is meant: a list of packages.
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
