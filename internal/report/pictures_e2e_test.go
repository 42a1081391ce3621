//go:build e2e

package report

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"

	"github.com/cnibench/cnibench/internal/chromium"
)

// sameFonts writes a page in the Go fonts, which are the same everywhere: lines
// break at the same places on every machine.
func sameFonts(t *testing.T, p *chromium.Page) {
	t.Helper()
	type face struct{ Family, Weight, Data string }
	var faces []face
	for _, f := range []struct {
		family, weight string
		data           []byte
	}{{"pictured", "400", goregular.TTF}, {"pictured", "600 700", gobold.TTF}, {"pictured mono", "400", gomono.TTF}} {
		faces = append(faces, face{f.family, f.weight, base64.StdEncoding.EncodeToString(f.data)})
	}
	list, err := json.Marshal(faces)
	if err != nil {
		t.Fatal(err)
	}
	p.Evaluate(fmt.Sprintf(`(async () => {
		for (const {Family, Weight, Data} of %s) {
			const face = new FontFace(Family, Uint8Array.from(atob(Data), (c) => c.charCodeAt(0)), {weight: Weight});
			await face.load();
			document.fonts.add(face);
		}
		const style = document.createElement("style");
		style.textContent = '* { font-family: pictured !important; } pre, code, .code, .code * { font-family: "pictured mono" !important; }';
		document.head.append(style);
		await document.fonts.ready;
		await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
	})()`, list), nil)
}

// taken is a picture of the top of a page, and how high all of it is.
func taken(t *testing.T, p *chromium.Page) (picture image.Image, height int) {
	t.Helper()
	p.Evaluate(`document.documentElement.scrollHeight`, &height)
	m, err := png.Decode(bytes.NewReader(p.Screenshot()))
	if err != nil {
		t.Fatal(err)
	}
	plain := image.NewRGBA(m.Bounds())
	draw.Draw(plain, plain.Bounds(), m, m.Bounds().Min, draw.Src)
	return plain, height
}

// The pages of odd campaigns look as they did when a person accepted them, are
// about as long, and no wider than their window. With -update the pictures are
// made anew, to be looked at.
func TestE2EOddPages(t *testing.T) {
	browser := chromium.Start(t)
	heights := map[string]int{}
	const heightsFile = "testdata/pictures/heights.json"
	if data, err := os.ReadFile(heightsFile); err == nil {
		if err := json.Unmarshal(data, &heights); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range oddCampaigns(t) {
		page := browser.Open(written(t, c.source))
		page.Scheme("light")
		page.Size(pictureWidth, pictureHeight)
		sameFonts(t, page)
		if wide := page.Beyond(); len(wide) > 0 {
			t.Errorf("%s is wider than its window: %q", c.name, wide)
		}
		picture, height := taken(t, page)
		for _, problem := range page.Problems() {
			t.Errorf("%s: %s", c.name, problem)
		}
		if *update {
			heights[c.name] = height
			if err := os.WriteFile(pictureFile(c.name), small(t, picture), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if want := float64(heights[c.name]); math.Abs(float64(height)-want) > 0.03*want {
			t.Errorf("%s is %d pixels high, and was %.0f", c.name, height, want)
		}
		if d := differing(newCoarse(readPicture(t, c.name)), newCoarse(picture)); d > differingCells {
			shown := filepath.Join(os.TempDir(), "cnibench-"+c.name+".png")
			if err := os.WriteFile(shown, small(t, picture), 0o644); err != nil {
				t.Fatal(err)
			}
			t.Errorf("%s: %.1f %% of the cells differ; compare %s with %s, and accept it with -update if it is good", c.name, 100*d, shown, pictureFile(c.name))
		}
		if i > 0 {
			continue
		}
		// What this test is for.
		page.Evaluate(`document.querySelector("main > section").remove()`, nil)
		less, lower := taken(t, page)
		if d := differing(newCoarse(readPicture(t, c.name)), newCoarse(less)); d <= differingCells || lower >= height {
			t.Errorf("without its first section %.1f %% of the cells of %s differ, and it is %d pixels high instead of %d", 100*d, c.name, lower, height)
		}
	}
	if *update {
		data, err := json.MarshalIndent(heights, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(heightsFile, append(data, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
