package record

import (
	"encoding/json"
	"fmt"
	"net"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cnibench/cnibench/internal/probe/recording"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

// Format is how a recording is exported.
type Format string

// The formats, both in strict OpenMetrics 1.0.
const (
	OpenMetrics Format = "openmetrics" // names as in the series of trials
	Statexec    Format = "statexec"    // names of statexec 0.8.0
)

// Formats lists the formats.
func Formats() []Format { return []Format{OpenMetrics, Statexec} }

// Sources lists what is read for a format besides CPU times, as in
// [sample.Spec]: what statexec reads and, unless its names are asked for, what
// tells why packets were lost. Reading the rest would cost the machine more
// than it tells of any command.
func (f Format) Sources() []string {
	sources := []string{sample.SourceMemory, sample.SourceInterfaces, sample.SourceDisks}
	if f != Statexec {
		sources = append(sources, sample.SourceProtocols, sample.SourceSoftnet)
	}
	return sources
}

// Export is what the user wants of a recording. It travels in the plan.
type Export struct {
	Format Format `json:"format"`
	// Labels are on every series, besides those that the format has.
	Labels map[string]string `json:"labels,omitempty"`
	// Instance is the label of that name; empty for the format's own choice.
	Instance string `json:"instance,omitempty"`
	// Out is a directory, or the file if File is set.
	Out  string `json:"out"`
	File bool   `json:"file,omitempty"`
	// StartAt, unless zero, is what the first sample's time becomes, so that
	// recordings lie over each other in a dashboard.
	StartAt time.Time `json:"startAt,omitzero"`
	// Quiet leaves the summary out.
	Quiet bool `json:"quiet,omitempty"`
}

func exportOf(p recording.Plan) (Export, error) {
	var e Export
	if err := json.Unmarshal(p.Export, &e); err != nil {
		return Export{}, fmt.Errorf("reading what to export: %w", err)
	}
	return e, nil
}

// DefaultPort is where a server waits for its client.
const DefaultPort = 7411

// ParseSync reads server[=[ADDRESS]:PORT] or client=HOST[:PORT].
func ParseSync(s string) (*recording.Sync, error) {
	role, where, given := strings.Cut(s, "=")
	switch {
	case role == recording.RoleServer && !given:
		where = ":" + strconv.Itoa(DefaultPort)
	case role == recording.RoleServer, role == recording.RoleClient && where != "":
	case role == recording.RoleClient:
		return nil, fmt.Errorf("client needs the server's address")
	default:
		return nil, fmt.Errorf("there is no role %q", role)
	}
	address, err := hostPort(where)
	if err != nil {
		return nil, err
	}
	return &recording.Sync{Role: role, Address: address}, nil
}

// hostPort adds the port that is not given.
func hostPort(where string) (string, error) {
	host, port, err := net.SplitHostPort(where)
	if err != nil { // "HOST", "::1" or "[::1]"
		bare := strings.TrimSuffix(strings.TrimPrefix(where, "["), "]")
		if strings.ContainsAny(bare, "[]") || strings.Contains(bare, ":") && net.ParseIP(bare) == nil {
			return "", fmt.Errorf("%q is no address", where)
		}
		return net.JoinHostPort(bare, strconv.Itoa(DefaultPort)), nil
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return "", fmt.Errorf("%q is no port", port)
	}
	return net.JoinHostPort(host, port), nil
}

// Labels that exports have themselves. OpenMetrics exports use all but disk
// and cpu, statexec ones the names that statexec refuses, too.
var ownLabels = []string{
	"instance", "job", "role",
	"phase", "mode", "core", "cpu", "share", "field", "event", "protocol", "interface", "direction", "group",
	"disk", "device", "operation", "resource", "kind", "zone", "domain", "program",
}

var labelName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)

// ParseLabels reads labels of the form KEY=VALUE.
func ParseLabels(pairs []string) (map[string]string, error) {
	labels := map[string]string{}
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		_, twice := labels[name]
		switch {
		case !ok:
			return nil, fmt.Errorf("label %q has no value", pair)
		case !labelName.MatchString(name):
			return nil, fmt.Errorf("%q is no name for a label", name)
		case strings.HasPrefix(name, "__"):
			return nil, fmt.Errorf("label %s begins with two underscores, which is for Prometheus itself", name)
		case slices.Contains(ownLabels, name):
			return nil, fmt.Errorf("label %s is the export's own", name)
		case twice:
			return nil, fmt.Errorf("label %s comes twice", name)
		case value == "":
			return nil, fmt.Errorf("label %s is empty, which for Prometheus is the same as no label", name)
		case !utf8.ValidString(value):
			return nil, fmt.Errorf("the value of label %s is not UTF-8", name)
		case len(value) > maxLabel:
			return nil, fmt.Errorf("the value of label %s has more than %d bytes", name, maxLabel)
		}
		labels[name] = value
	}
	return labels, nil
}

// maxLabel bounds a label's value in bytes; two ends tell each other theirs.
const maxLabel = 200

// MakeID names a recording that nobody named, after its time and a number.
func MakeID(now time.Time, random uint32) string {
	return fmt.Sprintf("%s-%06x", now.UTC().Format("20060102T150405Z"), random&0xffffff)
}

var unfitForFile = regexp.MustCompile(`[^a-zA-Z0-9._-]+`)

// fileName is what the export of a recording is called in a directory. Of two
// machines that begin together each has its own.
func fileName(id, role string) string {
	name := "record-" + unfitForFile.ReplaceAllString(id, "_")
	if role != recording.RoleAlone {
		name += "-" + role
	}
	return name + ".om"
}

// numbered is the n-th name after one that is taken.
func numbered(path string, n int) string {
	if n == 0 {
		return path
	}
	extension := filepath.Ext(path)
	if extension == ".zst" {
		extension = filepath.Ext(strings.TrimSuffix(path, extension)) + extension
	}
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, extension), n+1, extension)
}
