package kernel

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseConfig(t *testing.T) {
	got, err := ParseConfig(`#
# Automatically generated file; DO NOT EDIT.
# Linux/x86 6.1.55 Kernel Configuration
#
CONFIG_CC_VERSION_TEXT="gcc-12 (Debian 12.2.0-14) 12.2.0"
CONFIG_VXLAN=m
CONFIG_VETH=y
# CONFIG_GENEVE is not set
CONFIG_HZ=250
CONFIG_EXPLICIT=n
CONFIG_CMDLINE=""
`)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"CC_VERSION_TEXT": "gcc-12 (Debian 12.2.0-14) 12.2.0", "VXLAN": "m", "VETH": "y", "HZ": "250", "CMDLINE": "",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	asked := pick(got, []string{"VXLAN", "GENEVE"})
	if diff := cmp.Diff(map[string]string{"VXLAN": "m", "GENEVE": "n"}, asked); diff != "" {
		t.Errorf("cut to two symbols (-want +got):\n%s", diff)
	}
}

// A file that is no configuration must not become one in which nothing is set.
func TestParseConfigOfSomethingElse(t *testing.T) {
	for _, text := range []string{"", "not found\n", "CONFIG_\n", "# CONFIG of something\n", "\x1f\x8b\x08"} {
		if got, err := ParseConfig(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add("CONFIG_A=y\n# CONFIG_B is not set\n")
	f.Add("CONFIG_A=\"\nCONFIG_=y\nCONFIG_B==\"\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		values, err := ParseConfig(text)
		if err != nil {
			if values != nil {
				t.Errorf("values beside the error %v", err)
			}
			return
		}
		for name, value := range values {
			if name == "" || value == NotSet || strings.ContainsAny(name, "=\n") || strings.Contains(value, "\n") {
				t.Errorf("%q=%q", name, value)
			}
			if !strings.Contains(text, "CONFIG_"+name+"=") {
				t.Errorf("%s is not in the text", name)
			}
		}
	})
}
