package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/cnibench/cnibench/internal/cni"
)

func printVerdicts(out io.Writer, verdicts []cni.Verdict) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "VARIANT\tVERSION\tRUNS\tBECAUSE")
	for _, v := range verdicts {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", v.Variant, orDash(v.Version), v.Runs, orDash(because(v)))
	}
	return w.Flush()
}

// because says a verdict's reasons in one line.
func because(v cni.Verdict) string {
	parts := append([]string{}, v.Because...)
	if len(v.Unchecked) > 0 {
		parts = append(parts, "not checked: "+strings.Join(v.Unchecked, ", "))
	}
	return strings.Join(parts, "; ")
}

func printVerdictsJSON(out io.Writer, verdicts []cni.Verdict) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(verdicts)
}

// unfitVerdicts is an error if one of the verdicts is a no, or nobody knows.
func unfitVerdicts(verdicts []cni.Verdict) error {
	var cannot []string
	for _, v := range verdicts {
		if v.Runs == cni.RunsNo || v.Runs == cni.RunsUnknown {
			cannot = append(cannot, v.Variant)
		}
	}
	if len(cannot) == 0 {
		return nil
	}
	return &exitError{exitUnfit, fmt.Errorf("not known to run here: %s", strings.Join(cannot, ", ")), "BECAUSE in the table above says what is missing; another kernel or node may have it"}
}
