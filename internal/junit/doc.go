// Package junit writes test results as the XML that CI servers read: the
// dialect that JUnit's Ant task began and that Jenkins' schema junit-10.xsd
// describes. It is pure. Counts are its own, and what names and texts of
// others contain stays text: characters that XML cannot have, or that a
// terminal acts on, are shown as what they are.
package junit
