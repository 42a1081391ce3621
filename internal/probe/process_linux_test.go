package probe

import (
	"errors"
	"os"
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// processState is the letter in /proc/PID/stat.
func processState(pid string) (string, error) {
	data, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return "", err
	}
	_, rest, ok := strings.Cut(string(data), ") ")
	if !ok {
		return "", errors.New("no state")
	}
	return rest[:1], nil
}
