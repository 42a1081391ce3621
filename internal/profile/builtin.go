package profile

import (
	"bytes"
	"embed"
	"fmt"
	"strings"
)

//go:embed data/*.yaml
var builtin embed.FS

//go:embed profile.schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of a profile. It describes the
// shape; what must fit together only Parse knows.
func Schema() []byte { return bytes.Clone(schema) }

// Names lists the profiles that cnibench carries.
func Names() []string {
	files, err := builtin.ReadDir("data")
	if err != nil {
		panic(err) // it is embedded
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".yaml"))
	}
	return names
}

// File returns a profile that cnibench carries, as commented YAML.
func File(name string) ([]byte, error) {
	data, err := builtin.ReadFile("data/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("there is no profile %q", name)
	}
	return data, nil
}

// Builtin reads a profile that cnibench carries.
func Builtin(name string) (Profile, error) {
	data, err := File(name)
	if err != nil {
		return Profile{}, err
	}
	return Parse(name+" (built in)", data)
}

// All reads every profile that cnibench carries, by name.
func All() ([]Profile, error) {
	var all []Profile
	for _, name := range Names() {
		p, err := Builtin(name)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}
