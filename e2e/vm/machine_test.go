//go:build vm

package vm

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// bootOptions make a panic end the guest, and take the time from the
// processor's counter: the kernel does not trust an emulated one, but the
// timers that it would read instead cost the emulator thousands of times more,
// and Go programs ask for the time incessantly. See the kernel's
// Documentation/admin-guide/kernel-parameters.txt.
const bootOptions = "console=ttyS0 loglevel=5 panic=1 tsc=reliable clocksource=tsc mitigations=off"

// machine is a running guest.
type machine struct {
	cmd      *exec.Cmd
	stock    stock
	job      string // directory that both see: commands, outputs, the console
	commands int    // so far
	requests io.WriteCloser
	answers  chan string // lines of the guest; closed when QEMU has ended
}

// shares are the directories that the guest sees, by tag.
func (m *machine) shares(cache, program string) []string {
	var args []string
	for _, share := range []struct{ tag, dir, readonly string }{
		{"stock", m.stock.root, "on"}, {"cache", cache, "on"}, {"program", filepath.Dir(program), "on"}, {"job", m.job, "off"},
	} {
		// A comma in a value is doubled, see qemu(1).
		dir := strings.ReplaceAll(share.dir, ",", ",,")
		args = append(args, "-virtfs", fmt.Sprintf("local,path=%s,mount_tag=%s,security_model=none,multidevs=remap,readonly=%s", dir, share.tag, share.readonly))
	}
	return args
}

// boot starts the guest and returns when its userland takes commands. The
// guest dies with the calling thread, which must be the process's main one.
func boot(ctx context.Context, s stock, cache, program, job string) (*machine, error) {
	m := &machine{stock: s, job: job, answers: make(chan string)}
	if err := writeInitramfs(m.initramfs(), s); err != nil {
		return nil, err
	}
	// QEMU runs with the libraries of its own tree, by that tree's loader.
	libraries := filepath.Join(s.root, "usr/lib/x86_64-linux-gnu")
	args := append([]string{"--library-path", libraries, filepath.Join(s.root, "usr/bin/qemu-system-x86_64")}, m.hardware()...)
	m.cmd = exec.CommandContext(ctx, filepath.Join(libraries, "ld-linux-x86-64.so.2"), append(args, m.shares(cache, program)...)...)
	m.cmd.Env = append(os.Environ(), "QEMU_MODULE_DIR="+filepath.Join(libraries, "qemu"))
	m.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	m.cmd.Stderr = os.Stderr
	var err error
	if m.requests, err = m.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	answers, err := m.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := m.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting QEMU: %w", err)
	}
	go m.listen(answers)
	ready, err := m.answer()
	if err != nil {
		return nil, fmt.Errorf("booting: %w", err)
	}
	fmt.Printf("the guest booted Linux %s: %s s after its power-on\n", s.kernel, strings.TrimPrefix(ready, "ready "))
	return m, nil
}

// hardware is the guest's machine: no disk, no network, and two serial ports,
// one for the console and one for commands.
func (m *machine) hardware() []string {
	in := func(name string) string { return filepath.Join(m.stock.root, name) }
	processors := []string{"-accel", "tcg,thread=multi", "-smp", "2"}
	if *steadyFlag {
		// Two nanoseconds an instruction; more than one processor cannot be had so.
		processors = []string{"-accel", "tcg", "-icount", "shift=1"}
	}
	return append(processors,
		"-L", in("usr/share/qemu"), "-L", in("usr/share/seabios"), "-nodefaults", "-no-user-config",
		"-machine", "q35", "-cpu", "max", "-m", "6g",
		"-nic", "none", "-display", "none", "-monitor", "none", "-no-reboot",
		"-serial", "file:"+m.console(), "-chardev", "stdio,id=control,signal=off", "-serial", "chardev:control",
		"-kernel", in("boot/vmlinuz-"+m.stock.kernel), "-initrd", m.initramfs(), "-append", bootOptions,
	)
}

func (m *machine) initramfs() string { return filepath.Join(m.job, "initramfs") }

// console is the file with everything that the guest's kernel says.
func (m *machine) console() string { return filepath.Join(m.job, "console.log") }

// listen hands on the guest's lines until QEMU ends.
func (m *machine) listen(answers io.Reader) {
	defer close(m.answers)
	for lines := bufio.NewScanner(answers); lines.Scan(); {
		m.answers <- strings.TrimSpace(lines.Text())
	}
}

// answer waits for the guest's next line.
func (m *machine) answer() (string, error) {
	line, ok := <-m.answers
	if ok {
		return line, nil
	}
	console, _ := os.ReadFile(m.console()) // what there is of it
	last := strings.Split(strings.TrimSpace(string(console)), "\n")
	return "", fmt.Errorf("the guest ended; its console, %s, ends:\n%s", m.console(), strings.Join(last[max(0, len(last)-50):], "\n"))
}

// outcome is what a finished command left.
type outcome struct {
	status         int
	stdout, stderr string
	took           time.Duration
}

// run runs a shell script in the guest. The error says that the guest ended.
func (m *machine) run(script string) (outcome, error) {
	m.commands++
	number := fmt.Sprintf("%03d", m.commands)
	file := func(extension string) string { return filepath.Join(m.job, number+extension) }
	if err := os.WriteFile(file(".sh"), []byte(script+"\n"), 0o644); err != nil {
		return outcome{}, err
	}
	start := time.Now()
	if _, err := fmt.Fprintln(m.requests, number); err != nil {
		_, err = m.answer()
		return outcome{}, err
	}
	line, err := m.answer()
	if err != nil {
		return outcome{}, err
	}
	o := outcome{took: time.Since(start)}
	if _, err := fmt.Sscanf(line, number+" %d", &o.status); err != nil {
		return o, fmt.Errorf("the guest answered command %s with %q", number, line)
	}
	for extension, text := range map[string]*string{".out": &o.stdout, ".err": &o.stderr} {
		b, err := os.ReadFile(file(extension))
		if err != nil {
			return o, err
		}
		*text = string(b)
	}
	return o, nil
}

// off powers the guest down.
func (m *machine) off() error {
	_, err := fmt.Fprintln(m.requests, "off")
	if err == nil {
		for range m.answers { // until QEMU ends
		}
	}
	return m.cmd.Wait()
}
