package facts

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

const cpuDir = "sys/devices/system/cpu"

// cpus notes what the CPUs are and what slows them down or speeds them up.
func cpus(f Facts, root fs.FS) {
	f.read(root, "cpu.online", cpuDir+"/online")
	f.readHere(root, "cpu.isolated", cpuDir+"/isolated")
	f.readHere(root, "cpu.nohz-full", cpuDir+"/nohz_full")
	if f.Values["cpu.nohz-full"] == "(null)" { // how the kernel writes none
		delete(f.Values, "cpu.nohz-full")
	}
	f.read(root, "cpu.smt", cpuDir+"/smt/control")
	models(f, root)
	frequency(f, root)
	idle(f, root)
	mitigations(f, root)
}

// models notes the CPUs' model and microcode, which may differ from one to the
// next in name only if somebody mixed them.
func models(f Facts, root fs.FS) {
	b, err := fs.ReadFile(root, "proc/cpuinfo")
	for name, key := range map[string]string{"cpu.model": "model name", "cpu.microcode": "microcode"} {
		switch value := field(string(b), key); {
		case err != nil:
			f.Miss(name, reason(err))
		case value == "":
			f.Miss(name, "/proc/cpuinfo of this architecture does not tell")
		default:
			f.Set(name, value)
		}
	}
}

// perCPU are files of the frequency driver below each CPU's cpufreq.
var perCPU = map[string]string{
	"cpu.governor": "scaling_governor", "cpu.driver": "scaling_driver",
	"cpu.frequency.lowest": "scaling_min_freq", "cpu.frequency.highest": "scaling_max_freq", "cpu.frequency.hardware": "cpuinfo_max_freq",
	"cpu.energy-preference": "energy_performance_preference",
}

const noDriver = "no driver sets CPU frequencies here"

// frequency notes who decides how fast the CPUs are.
func frequency(f Facts, root fs.FS) {
	for name, file := range perCPU {
		values := map[int]string{}
		for _, n := range numbered(root, cpuDir, "cpu") {
			if b, err := fs.ReadFile(root, fmt.Sprintf("%s/cpu%d/cpufreq/%s", cpuDir, n, file)); err == nil {
				values[n] = strings.TrimSpace(string(b))
				if strings.HasSuffix(file, "_freq") {
					values[n] += " kHz"
				}
			}
		}
		if len(values) == 0 {
			f.Miss(name, noDriver)
			continue
		}
		f.Set(name, grouped(values))
	}
	for _, source := range []struct{ file, on string }{{"intel_pstate/no_turbo", "0"}, {"cpufreq/boost", "1"}} {
		b, err := fs.ReadFile(root, path.Join(cpuDir, source.file))
		if err != nil {
			continue
		}
		f.Set("cpu.turbo", "off")
		if strings.TrimSpace(string(b)) == source.on {
			f.Set("cpu.turbo", "on")
		}
		return
	}
	f.Miss("cpu.turbo", noDriver)
}

// idle notes how deep the CPUs may sleep. The states that are disabled on some
// CPUs are marked.
func idle(f Facts, root fs.FS) {
	f.read(root, "cpu.idle.driver", cpuDir+"/cpuidle/current_driver")
	f.read(root, "cpu.idle.governor", cpuDir+"/cpuidle/current_governor")
	values := map[int]string{}
	for _, n := range numbered(root, cpuDir, "cpu") {
		dir := fmt.Sprintf("%s/cpu%d/cpuidle", cpuDir, n)
		var states []string
		for _, s := range numbered(root, dir, "state") {
			name, err := fs.ReadFile(root, fmt.Sprintf("%s/state%d/name", dir, s))
			if err != nil {
				continue
			}
			state := strings.TrimSpace(string(name))
			if off, err := fs.ReadFile(root, fmt.Sprintf("%s/state%d/disable", dir, s)); err == nil && strings.TrimSpace(string(off)) != "0" {
				state += " (disabled)"
			}
			states = append(states, state)
		}
		if len(states) > 0 {
			values[n] = strings.Join(states, ", ")
		}
	}
	if len(values) == 0 {
		f.Miss("cpu.idle.states", "no driver puts CPUs to sleep here")
		return
	}
	f.Set("cpu.idle.states", grouped(values))
}

func mitigations(f Facts, root fs.FS) {
	dir := cpuDir + "/vulnerabilities"
	entries, err := fs.ReadDir(root, dir)
	if err != nil {
		f.Miss("cpu.mitigation", reason(err))
		return
	}
	for _, e := range entries {
		f.read(root, "cpu.mitigation."+e.Name(), path.Join(dir, e.Name()))
	}
}

// numbered lists the numbers of the entries PREFIX0, PREFIX1 … of a directory.
func numbered(root fs.FS, dir, prefix string) []int {
	entries, _ := fs.ReadDir(root, dir) // none, if it is not there
	var all []int
	for _, e := range entries {
		digits, is := strings.CutPrefix(e.Name(), prefix)
		if n, err := strconv.Atoi(digits); is && err == nil && n >= 0 {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return all
}

// grouped says the value of all, or of each group: "a", or "a (0-2,5); b (3-4)".
func grouped(values map[int]string) string {
	groups := map[string][]int{}
	for n, v := range values {
		groups[v] = append(groups[v], n)
	}
	if len(groups) == 1 {
		for v := range groups {
			return v
		}
	}
	for _, members := range groups {
		slices.Sort(members)
	}
	order := slices.SortedFunc(maps.Keys(groups), func(a, b string) int { return cmp.Compare(groups[a][0], groups[b][0]) })
	var parts []string
	for _, v := range order {
		parts = append(parts, fmt.Sprintf("%s (%s)", v, ranges(groups[v])))
	}
	return strings.Join(parts, "; ")
}

// ranges writes sorted numbers as Linux writes lists of CPUs: "0-2,5".
func ranges(sorted []int) string {
	var parts []string
	for i := 0; i < len(sorted); {
		j := i
		for j+1 < len(sorted) && sorted[j+1] == sorted[j]+1 {
			j++
		}
		part := strconv.Itoa(sorted[i])
		if j > i {
			part += "-" + strconv.Itoa(sorted[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// mostMaskBits bounds the masks that are believed: NR_CPUS of any kernel is
// below it.
const mostMaskBits = 1 << 14

// parseMask reads a mask of CPUs as sysfs writes it, "00000000,0000ff01", into
// a list of CPUs: "0,8-15". No CPU is the empty list.
func parseMask(text string) (string, error) {
	digits := strings.ReplaceAll(strings.TrimSpace(text), ",", "")
	if digits == "" || len(digits)*4 > mostMaskBits {
		return "", fmt.Errorf("%q is no mask of CPUs", text)
	}
	var set []int
	for i, c := range []byte(digits) {
		nibble, err := strconv.ParseUint(string(c), 16, 8)
		if err != nil {
			return "", fmt.Errorf("%q is no mask of CPUs", text)
		}
		for bit := range 4 {
			if nibble&(1<<bit) != 0 {
				set = append(set, (len(digits)-1-i)*4+bit)
			}
		}
	}
	slices.Sort(set)
	return ranges(set), nil
}
