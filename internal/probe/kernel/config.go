package kernel

import (
	"errors"
	"strings"
)

// NotSet is the value of an option that a configuration does not have or names
// as not set.
const NotSet = "n"

// ParseConfig reads a kernel's configuration into values by symbol, without
// CONFIG_. Strings lose their quotes; options that are not set are not in the
// map.
func ParseConfig(text string) (map[string]string, error) {
	values := map[string]string{}
	seen := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		comment, is := strings.CutPrefix(line, "# CONFIG_")
		if is && strings.HasSuffix(comment, " is not set") {
			seen = true
			continue
		}
		option, is := strings.CutPrefix(line, "CONFIG_")
		if !is {
			continue
		}
		name, value, found := strings.Cut(option, "=")
		if !found || name == "" {
			continue
		}
		seen = true
		if len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"' {
			value = value[1 : len(value)-1]
		}
		if value != NotSet {
			values[name] = value
		}
	}
	if !seen {
		return nil, errors.New("there is no option in it")
	}
	return values, nil
}

// pick cuts a configuration to some symbols and says n for those it lacks.
func pick(values map[string]string, symbols []string) map[string]string {
	picked := map[string]string{}
	for _, s := range symbols {
		picked[s] = NotSet
		if v, ok := values[s]; ok {
			picked[s] = v
		}
	}
	return picked
}
