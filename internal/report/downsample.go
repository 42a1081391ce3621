package report

import "math"

// downsample reduces points to at most limit by Largest-Triangle-Three-Buckets
// (Steinarsson, Downsampling Time Series for Visual Representation, 2013): of
// each bucket it keeps the point that spans the largest triangle with the
// point kept before and the mean of the next bucket, so that spikes survive.
// First and last point stay.
func downsample(points []Point, limit int) []Point {
	n := len(points)
	if n <= limit {
		return points
	}
	if limit < 3 {
		return []Point{points[0], points[n-1]}
	}
	kept := []Point{points[0]}
	edge := func(bucket int) int { return 1 + bucket*(n-2)/(limit-2) }
	for b := range limit - 2 {
		next := points[edge(b+1):min(edge(b+2), n)]
		kept = append(kept, farthest(points[edge(b):edge(b+1)], kept[len(kept)-1], mean(next)))
	}
	return append(kept, points[n-1])
}

// farthest returns the point of a bucket that spans the largest triangle with
// a and c.
func farthest(bucket []Point, a, c Point) Point {
	best, largest := bucket[0], -1.0
	for _, p := range bucket {
		area := math.Abs((a.Offset-c.Offset)*(p.Value-a.Value) - (a.Offset-p.Offset)*(c.Value-a.Value))
		if area > largest {
			best, largest = p, area
		}
	}
	return best
}

func mean(points []Point) Point {
	var m Point
	for _, p := range points {
		m.Offset += p.Offset / float64(len(points))
		m.Value += p.Value / float64(len(points))
	}
	return m
}
