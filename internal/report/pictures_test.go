package report

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Pictures of the pages of odd campaigns are in testdata/pictures, each looked
// at before it was accepted. They are compared coarsely: what a reader would
// notice counts, how a letter is smoothed does not.
const (
	pictureWidth  = 900 // of the window, in pixels
	pictureHeight = 1400
	coarseWidth   = 48 // cells of a coarse picture in a row
	// A cell differs from brightness differenceOfCell on; pictures are alike as
	// long as no larger share of their cells differs than differingCells.
	differenceOfCell = 0.06
	differingCells   = 0.02
	pictureColours   = 32
)

func pictureFile(name string) string { return filepath.Join("testdata", "pictures", name+".png") }

// coarse is the brightness, from 0 to 1, of the cells of a picture, by row.
type coarse [][]float64

func newCoarse(m image.Image) coarse {
	b := m.Bounds()
	size := float64(b.Dx()) / coarseWidth
	var rows coarse
	for y := 0; float64(y)*size < float64(b.Dy()); y++ {
		row := make([]float64, coarseWidth)
		for x := range row {
			row[x] = brightness(m, image.Rect(
				b.Min.X+int(float64(x)*size), b.Min.Y+int(float64(y)*size),
				b.Min.X+int(float64(x+1)*size), b.Min.Y+int(float64(y+1)*size)).Intersect(b))
		}
		rows = append(rows, row)
	}
	return rows
}

// brightness is the mean of a part of a picture.
func brightness(m image.Image, part image.Rectangle) float64 {
	sum := 0.0
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			sum += float64(color.Gray16Model.Convert(m.At(x, y)).(color.Gray16).Y) / math.MaxUint16
		}
	}
	return sum / float64(max(part.Dx()*part.Dy(), 1))
}

// differing is the share of cells in which two pictures differ. Rows that only
// one of them has differ.
func differing(a, b coarse) float64 {
	cells, differ := 0, 0
	for y := range max(len(a), len(b)) {
		for x := range coarseWidth {
			cells++
			if y >= len(a) || y >= len(b) || math.Abs(a[y][x]-b[y][x]) >= differenceOfCell {
				differ++
			}
		}
	}
	return float64(differ) / float64(max(cells, 1))
}

// small writes a picture as PNG of few colours, those that it has most of.
func small(t *testing.T, m image.Image) []byte {
	t.Helper()
	counts := map[color.RGBA]int{}
	b := m.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			counts[color.RGBAModel.Convert(m.At(x, y)).(color.RGBA)]++
		}
	}
	colours := make([]color.RGBA, 0, len(counts))
	for c := range counts {
		colours = append(colours, c)
	}
	slices.SortFunc(colours, func(x, y color.RGBA) int {
		return cmp.Or(counts[y]-counts[x], cmp.Compare(x.R, y.R), cmp.Compare(x.G, y.G), cmp.Compare(x.B, y.B))
	})
	var palette color.Palette
	for _, c := range colours[:min(len(colours), pictureColours)] {
		palette = append(palette, c)
	}
	p := image.NewPaletted(b, palette)
	draw.Draw(p, b, m, b.Min, draw.Src)
	var data bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&data, p); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

func readPicture(t *testing.T, name string) image.Image {
	t.Helper()
	data, err := os.ReadFile(pictureFile(name))
	if err != nil {
		t.Fatalf("%v: `go test -tags e2e -run E2EOddPages ./internal/report -update` makes it", err)
	}
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The comparison of pictures notices what a reader would, and nothing else: a
// section that is missing, one that is new, or a page that is wider than its
// window; not a letter smoothed in another way, nor all of it a pixel lower.
func TestComparisonOfPictures(t *testing.T) {
	for _, c := range oddCampaigns(t) {
		m := readPicture(t, c.name)
		b := m.Bounds()
		if b.Dx() != pictureWidth || b.Dy() > pictureHeight {
			t.Errorf("%s has %d × %d pixels", c.name, b.Dx(), b.Dy())
		}
		changed := func(place func(x, y int) (int, int)) coarse {
			other := image.NewRGBA(b)
			for y := range b.Dy() {
				for x := range b.Dx() {
					fromX, fromY := place(x, y)
					if (image.Point{fromX, fromY}).In(b) {
						other.Set(x, y, m.At(fromX, fromY))
					} else {
						other.Set(x, y, m.At(b.Min.X, b.Min.Y)) // the background
					}
				}
			}
			return newCoarse(other)
		}
		whole := newCoarse(m)
		below := func(limit, by int) func(x, y int) (int, int) {
			return func(x, y int) (int, int) {
				if y > limit {
					y += by
				}
				return x, y
			}
		}
		for what, picture := range map[string]coarse{
			"the same": changed(below(0, 0)), "a pixel lower": changed(below(0, -1)), "a pixel higher": changed(below(0, 1)),
			"rougher letters": changed(func(x, y int) (int, int) { return x ^ 1, y }),
		} {
			if d := differing(whole, picture); d > differingCells {
				t.Errorf("%s, %s: %.1f %% of the cells differ, which is too many", c.name, what, 100*d)
			}
		}
		for what, picture := range map[string]coarse{
			"without 150 pixels in the middle": changed(below(500, 150)), "with 150 pixels more": changed(below(500, -150)),
			"wider than the window": changed(func(x, y int) (int, int) { return x + 40, y }),
			"half as high":          whole[:len(whole)/2],
		} {
			if d := differing(whole, picture); d <= differingCells {
				t.Errorf("%s, %s: only %.1f %% of the cells differ", c.name, what, 100*d)
			}
		}
	}
}
