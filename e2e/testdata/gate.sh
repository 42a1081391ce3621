# Gates real results and prints, line by line, what was asked and the exit
# status. In every line the answer follows from the design, not from how fast
# the machine is: a margin or limit that no network reaches, a family too large
# for its blocks, a plugin's agent that needs memory where there is none
# without, links with another MTU.
set -eu
now=$1 changed=$2
gate() {
	name=$1 status=0
	shift
	cnibench gate "$@" >gate.out 2>gate.err || status=$?
	echo "$name $status"
}

gate margin-of-a-thousand "$now" --margin 100000%
gate floor-within-reach "$now" --min throughput=1kbit/s
gate memory-of-the-agent "$now" --metric tcp-pod-single/cni-memory --margin cni-memory=1KiB
gate floor-out-of-reach "$now" --min throughput=1000Tbit/s
gate regression-beside-a-pass "$now" --min throughput=1000Tbit/s --min rtt=1ns
gate family-too-large "$now" --metric tcp-pod-single/throughput --metric tcp-pod-single/cpu \
	--metric tcp-pod-single/memory --metric tcp-pod-single/rtt
gate too-few-blocks "$changed"
gate other-links "$changed" --baseline "$now"

# The hint of the refusal is what it takes to go on.
flags=$(sed -n 's/^cnibench: hint: .*, add \(--allow .*\)$/\1/p' gate.err)
eval "gate other-links-allowed \"\$changed\" --baseline \"\$now\" --margin 100000% $flags"
gate itself "$now" --baseline "$now" --margin 100000%
gate no-such-metric "$now" --min bandwidth=1kbit/s
gate no-such-directory nowhere
