package supply

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/lab/supply/gobuild"
	"github.com/cnibench/cnibench/internal/lab/supply/progress"
)

// standIns are tiny programs in place of ours.
func standIns() fstest.MapFS {
	return fstest.MapFS{
		nodeProgram:  {Data: []byte("stand-in for the node program")},
		probeProgram: {Data: []byte("stand-in for the probe")},
	}
}

func mustPlan(t *testing.T, dir string, programs fs.FS, plugins ...string) *plan {
	t.Helper()
	p, err := newPlan(dir, programs, plugins...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPlanNeedsPrograms(t *testing.T) {
	_, err := newPlan(t.TempDir(), fstest.MapFS{".gitignore": {}})
	var hinted interface{ Hint() string }
	if err == nil || err.Error() != "this cnibench was built without its node programs" ||
		!errors.As(err, &hinted) || hinted.Hint() != "build it with make build" {
		t.Errorf("error is %v", err)
	}
}

// TestKeysFollowRecipes: equal recipes have equal keys anywhere, and a change
// reaches what is made from it and nothing else.
func TestKeysFollowRecipes(t *testing.T) {
	first, second := mustPlan(t, t.TempDir(), standIns()), mustPlan(t, t.TempDir(), standIns())
	if diff := cmp.Diff(first.items, second.items, cmp.AllowUnexported(item{})); diff != "" {
		t.Errorf("the same recipes have other keys:\n%s", diff)
	}
	changed := standIns()
	changed[probeProgram] = &fstest.MapFile{Data: []byte("a newer probe")}
	third := mustPlan(t, t.TempDir(), changed)
	var differ []string
	for name, item := range third.items {
		if item != first.items[name] {
			differ = append(differ, name)
		}
	}
	slices.Sort(differ)
	if diff := cmp.Diff([]string{stepImages, stepPrograms}, differ); diff != "" {
		t.Errorf("a newer probe rebuilds:\n%s", diff)
	}
}

func TestKeysFollowModules(t *testing.T) {
	p := mustPlan(t, t.TempDir(), standIns())
	before := maps.Clone(p.items)
	program := gobuild.FlannelCNI()
	program.Stamp = append(program.Stamp, gobuild.Variable{Name: "main.x", Value: "y"})
	if err := p.addProgram(program); err != nil {
		t.Fatal(err)
	}
	if p.item(stepFlannelCNI) == before[stepFlannelCNI] {
		t.Error("another linker setting has the same key")
	}
}

// fakeSteps replaces the builders: each writes the outputs that the kit names.
func fakeSteps(p *plan, build func(name string) error) {
	for i := range p.steps {
		name := p.steps[i].name
		p.steps[i].build = func(_ context.Context, dir string, step *progress.Step) (manifest, error) {
			step.Count("made", 1, 1, "things", "")
			return manifest{Digest: name}, errors.Join(os.WriteFile(filepath.Join(dir, "output"), nil, 0o644), build(name))
		}
	}
}

// TestEnsureKeepsFinishedSteps fails in the last step, carries on from there,
// and does nothing when all is there.
func TestEnsureKeepsFinishedSteps(t *testing.T) {
	dir := t.TempDir()
	attempt := func(fail string) (built []string, kit Kit, err error) {
		p := mustPlan(t, dir, standIns())
		fakeSteps(p, func(name string) error {
			built = append(built, name)
			if name == fail {
				return errors.New("no network")
			}
			return nil
		})
		missing, err := p.find()
		if err != nil {
			return nil, Kit{}, err
		}
		for _, s := range missing {
			if err := p.run(t.Context(), s, nil); err != nil {
				return built, Kit{}, err
			}
		}
		kit, err = p.assemble(p.done)
		return built, kit, err
	}
	all := []string{stepPrograms, stepDebian, stepFlannelCNI, stepFlannel, stepImages, stepKubernetes}
	built, _, err := attempt(stepKubernetes)
	if err == nil || !strings.Contains(err.Error(), "kubernetes v") || !strings.Contains(err.Error(), "no network") {
		t.Errorf("error is %v", err)
	}
	if diff := cmp.Diff(all, built); diff != "" {
		t.Error(diff)
	}
	built, first, err := attempt("")
	if diff := cmp.Diff([]string{stepKubernetes}, built); diff != "" || err != nil {
		t.Errorf("second attempt: %v\n%s", err, diff)
	}
	built, second, err := attempt("")
	if len(built) != 0 || err != nil {
		t.Errorf("with all there, it built %v, %v", built, err)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the same cache gave another kit:\n%s", diff)
	}
}

// TestKitKeyFollowsContent: other content of the same recipe, such as newer
// Debian packages, is another kit.
func TestKitKeyFollowsContent(t *testing.T) {
	p := mustPlan(t, t.TempDir(), standIns())
	key := func(digest string) string {
		kit, err := p.assemble(map[string]manifest{stepDebian: {Digest: digest}})
		if err != nil {
			t.Fatal(err)
		}
		return kit.Key
	}
	if first, again, other := key("one"), key("one"), key("two"); first != again || first == other {
		t.Error("the kit's key does not follow its content")
	}
}
