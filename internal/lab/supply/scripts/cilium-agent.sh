#!/bin/sh
# The agent reads /proc/modules and gives up without it, and a kernel without
# loadable modules has none. There, and only there, the container gets a /proc
# of links to the real one, and an empty list of modules beside them. It takes
# the place of /proc in one step: commands are started in the container at any
# time, and they need it.
if [ ! -e /proc/modules ]; then
	real=/run/cnibench/proc links=/run/cnibench/links
	mkdir -p "$real" "$links" &&
		mount --rbind /proc "$real" &&
		mount -t tmpfs -o mode=755 links "$links" || exit 1
	for entry in "$real"/*; do
		name=${entry##*/}
		case $name in
		[0-9]*) ;;
		*) ln -s "$entry" "$links/$name" ;;
		esac
	done
	: >"$links/modules"
	# Of processes, only the agent itself, which this shell becomes.
	ln -s "$real/$$" "$links/$$"
	mount --bind "$links" /proc || exit 1
fi
exec /usr/lib/cilium/cilium-agent "$@"
