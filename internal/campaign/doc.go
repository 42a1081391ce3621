// Package campaign reads what the user writes: one YAML file that names the
// variants, the scenarios and the number of blocks. Decoding is strict, every
// problem is reported with its line and a fix, and a Campaign that Parse
// returns has every default filled in. It is pure: it reads bytes, not files.
package campaign
