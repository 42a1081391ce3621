// Package figure draws SVG from numbers and labels: axes with round ticks,
// rows of dots, curves, heat maps and scatter plots. It knows nothing of what
// is shown. The same input gives the same bytes.
//
// Horizontal places are per cent of the width and vertical ones are pixels, so
// that a figure fills whatever width there is while its dots, lines and letters
// keep their size: readable on paper and on a phone without a script. How
// things look is in classes, which [Style] describes for light, dark and print;
// no colour is the only carrier of a meaning. All text is escaped.
//
// What is not finite has no place in a figure and is left out.
package figure
