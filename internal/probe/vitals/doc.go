// Package vitals reads what shows whether a node is well, and what changes by
// the second or is long: its clock, errors that its link has counted, tracked
// connections, what its kernel complained of, its disks, and how many rules its
// packet filter has. What a node is and stays is the business of package facts.
//
// What parses is pure and builds everywhere.
package vitals
