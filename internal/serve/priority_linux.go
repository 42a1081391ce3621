package serve

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// nicest is the lowest priority that there is.
const nicest = 19

// LowPriority makes this process one that others do not feel: what runs on the
// machine may be a measurement. Linux has a priority for each thread, and a new
// one has that of the thread which made it; the second round is for those that
// were made during the first.
func LowPriority() error {
	for range 2 {
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return fmt.Errorf("lowering the priority: %w", err)
		}
		for _, task := range tasks {
			id, err := strconv.Atoi(task.Name())
			if err != nil {
				return fmt.Errorf("lowering the priority: %w", err)
			}
			if err := unix.Setpriority(unix.PRIO_PROCESS, id, nicest); err != nil && !errors.Is(err, unix.ESRCH) {
				return fmt.Errorf("lowering the priority: %w", err)
			}
		}
	}
	return nil
}
