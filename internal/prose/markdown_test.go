package prose

import "testing"

func TestMarkdown(t *testing.T) {
	for in, want := range map[string]string{
		"flannel-vxlan":                  "flannel-vxlan",
		"a|b\nc":                         `a\|b c`,
		"<img src=x> [x](y) *z* _u_ `v`": "&lt;img src=x&gt; \\[x\\](y) \\*z\\* \\_u\\_ \\`v\\`",
		"@everyone #1":                   "@\u2060everyone \\#1",
	} {
		if got := Markdown(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}
