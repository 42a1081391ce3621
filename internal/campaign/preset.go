package campaign

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed presets/*.yaml
var presets embed.FS

// Presets lists the names of the campaigns that reproduce published protocols.
func Presets() []string {
	files, err := presets.ReadDir("presets")
	if err != nil {
		panic(err) // it is embedded
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".yaml"))
	}
	return names
}

// Preset returns a campaign that reproduces a published protocol, as commented
// YAML.
func Preset(name string) ([]byte, error) {
	data, err := presets.ReadFile("presets/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("there is no preset %q", name)
	}
	return data, nil
}
