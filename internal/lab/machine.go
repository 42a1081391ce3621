package lab

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/cnibench/cnibench/internal/lab/cgroup"
)

// UnfitError says why this machine cannot run a lab and what to do about it.
type UnfitError struct {
	Reason, Hint string
}

func (e *UnfitError) Error() string { return "this machine cannot run a lab: " + e.Reason }

// minFreeBytes is what three nodes and their logs need, with room to spare.
const minFreeBytes = 1 << 30

// CheckMachine finds out whether the kernel and the user's rights suffice,
// before anything is changed. It returns an *UnfitError if not.
func CheckMachine() error {
	if err := checkSystem(); err != nil {
		return err
	}
	if os.Geteuid() != 0 {
		return &UnfitError{"labs need root, to make namespaces and mounts", "run the command with sudo, or as root"}
	}
	if _, err := exec.LookPath("nsenter"); err != nil {
		return &UnfitError{"nsenter is missing", "install the package util-linux"}
	}
	for _, check := range []func() error{checkFilesystems, checkCgroups, checkCongestionControl, checkSpace, checkNamespaces} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func checkSystem() error {
	if runtime.GOOS == "linux" {
		return nil
	}
	return &UnfitError{"labs need Linux, and this is " + runtime.GOOS, "run it on Linux or in a Linux virtual machine; results can be read anywhere"}
}

func checkFilesystems() error {
	b, err := os.ReadFile("/proc/filesystems")
	if err != nil {
		return fmt.Errorf("reading the kernel's file systems: %w", err)
	}
	if !strings.Contains(string(b), "\toverlay\n") {
		if out, err := exec.Command("modprobe", "overlay").CombinedOutput(); err != nil {
			return &UnfitError{"the kernel has no overlay file system: " + strings.TrimSpace(string(out)), "use a kernel with CONFIG_OVERLAY_FS"}
		}
	}
	return nil
}

func checkCgroups() error {
	h, err := cgroup.Detect()
	if err != nil {
		return &UnfitError{err.Error(), "mount the control groups, as every distribution with systemd does"}
	}
	if missing := h.MissingControllers(); len(missing) > 0 {
		return &UnfitError{"control group controllers are missing: " + strings.Join(missing, ", "), "enable them in the kernel's configuration or command line"}
	}
	return nil
}

func checkCongestionControl() error {
	const available = "net.ipv4.tcp_available_congestion_control"
	b, err := os.ReadFile(sysctlFile(available))
	if err != nil {
		return fmt.Errorf("reading %s: %w", available, err)
	}
	if strings.Contains(" "+strings.TrimSpace(string(b))+" ", " "+CongestionControl+" ") {
		return nil
	}
	return &UnfitError{fmt.Sprintf("the kernel offers no TCP %s, only %s", CongestionControl, strings.TrimSpace(string(b))), "use a kernel with CONFIG_TCP_CONG_CUBIC, or run modprobe tcp_cubic"}
}

// checkFamily finds out whether the kernel has IPv6, where the lab needs it.
func checkFamily(family string) error {
	if family != IPv6 && family != DualStack {
		return nil
	}
	if _, err := os.Stat(sysctlFile("net.ipv6.conf.all.forwarding")); err != nil {
		return &UnfitError{"the kernel has no IPv6: " + err.Error(), "choose the IP family ipv4, or use a kernel with CONFIG_IPV6 that was not started with ipv6.disable=1"}
	}
	return nil
}

func checkSpace() error {
	dir := stateDir()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making %s: %w", dir, err)
	}
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return fmt.Errorf("looking for space in %s: %w", dir, err)
	}
	if free := st.Bavail * uint64(st.Bsize); free < minFreeBytes {
		return &UnfitError{
			fmt.Sprintf("only %d MiB are free in %s, a lab needs %d", free>>20, dir, minFreeBytes>>20),
			"free some space, or set CNIBENCH_STATE to a directory on another disk",
		}
	}
	return nil
}

// checkNamespaces makes namespaces and a link, as a lab will, and lets them go.
func checkNamespaces() error {
	script := "ip link add cnibench0 type veth peer name cnibench1 && ip link add cnibench2 type bridge"
	cmd := exec.Command("sh", "-c", script)
	if _, err := exec.LookPath("ip"); err != nil {
		cmd = exec.Command("true") // the switch itself will tell
	}
	cmd.SysProcAttr = inNewNamespaces()
	out, err := cmd.CombinedOutput()
	if errors.Is(err, unix.EPERM) {
		return &UnfitError{"making namespaces is not permitted", "run on the machine itself, or in a privileged container"}
	}
	if err != nil {
		return &UnfitError{fmt.Sprintf("the kernel cannot make namespaces, veth pairs and bridges: %v %s", err, strings.TrimSpace(string(out))), "use a kernel with CONFIG_VETH and CONFIG_BRIDGE"}
	}
	return nil
}
