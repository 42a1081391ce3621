# Pid 1 of the guest after init.sh: mounts what systemd would, and runs the
# commands that the test asks for. The second serial port takes a command's
# number and answers with it and the exit status; /job, the test's directory,
# holds NUMBER.sh, and gets NUMBER.out and NUMBER.err.
set -e
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C
export CNIBENCH_CACHE=/var/cache/cnibench

share() { # TAG DIRECTORY OPTIONS
	mkdir -p "$2"
	mount -t 9p -o "$3,trans=virtio,version=9p2000.L,msize=512000" "$1" "$2"
}
memory() { # DIRECTORY OPTIONS
	mkdir -p "$1"
	mount -t tmpfs -o "$2" tmpfs "$1"
}

memory /run mode=755
memory /tmp mode=1777
memory /dev/shm mode=1777
mkdir -p /dev/pts
mount -t devpts devpts /dev/pts
mount -t cgroup2 -o nosuid,nodev,noexec,nsdelegate,memory_recursiveprot cgroup2 /sys/fs/cgroup
mount -t bpf bpf /sys/fs/bpf
echo stock >/proc/sys/kernel/hostname
share job /job rw,cache=none
share program /usr/local/bin ro,cache=loose
share cache "$CNIBENCH_CACHE" ro,cache=loose
# A read over 9p costs more than what it brings.
for file in /sys/class/bdi/9p-*/read_ahead_kb; do echo 4096 >"$file"; done
# Layers of containers need a file system that an overlay can be put on.
memory /var/lib/cnibench mode=700,size=80%
ip link set lo up

cd /
exec 3<>/dev/ttyS1
stty raw -echo <&3
echo "ready $(cut -d' ' -f1 /proc/uptime)" >&3
while read -r number <&3; do
	[ "$number" = off ] && break
	status=0
	bash "/job/$number.sh" >"/job/$number.out" 2>"/job/$number.err" </dev/null 3<&- || status=$?
	echo "$number $status" >&3
done
echo o >/proc/sysrq-trigger
sleep 60
