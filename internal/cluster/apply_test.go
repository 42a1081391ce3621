package cluster

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDecode(t *testing.T) {
	for _, tt := range []struct {
		name, manifests string
		want            []string // kind/name of each
	}{
		{"nothing", "", nil},
		{"one", "kind: A\nmetadata: {name: a}\n", []string{"A/a"}},
		{"several, in their order", "kind: B\nmetadata: {name: b}\n---\nkind: A\nmetadata: {name: a}\n", []string{"B/b", "A/a"}},
		{"empty documents", "---\n---\n# nothing here\n---\nkind: A\nmetadata: {name: a}\n---\n\n---\nnull\n---\n", []string{"A/a"}},
		{"only comments", "# a\n---\n# b\n", nil},
		{"JSON", `{"kind": "A", "metadata": {"name": "a"}}`, []string{"A/a"}},
		{"a separator inside a text", "kind: A\nmetadata: {name: a}\ndata:\n  text: |\n    ---\n    end\n", []string{"A/a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			objects, err := Decode([]byte(tt.manifests))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, o := range objects {
				got = append(got, o.GetKind()+"/"+o.GetName())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("objects (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeSaysWhichManifestIsBroken(t *testing.T) {
	for name, manifests := range map[string]string{
		"not YAML":    "kind: A\n---\nkind: [B\n",
		"a list":      "kind: A\n---\n- kind: B\n",
		"a text":      "kind: A\n---\nB\n",
		"tabs":        "kind: A\n---\n\tkind: B\n",
		"broken JSON": "kind: A\n---\n{\"kind\": \"B\"",
	} {
		t.Run(name, func(t *testing.T) {
			objects, err := Decode([]byte(manifests))
			if err == nil || !strings.Contains(err.Error(), "manifest 2") {
				t.Errorf("%d objects, error %v; want one that names manifest 2", len(objects), err)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	f.Add("kind: A\nmetadata: {name: a}\n---\n# nothing\n---\nkind: B\n")
	f.Add("{\"kind\": \"A\"}\n{\"kind\": \"B\"}")
	f.Add("---\n- a\n")
	f.Add("a: &a [*a]\n")
	f.Fuzz(func(t *testing.T, manifests string) {
		objects, err := Decode([]byte(manifests))
		if err != nil && objects != nil {
			t.Errorf("%d objects and the error %v", len(objects), err)
		}
		for i, o := range objects {
			if len(o.Object) == 0 {
				t.Errorf("object %d is empty", i)
			}
		}
	})
}
