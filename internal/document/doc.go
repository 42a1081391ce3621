// Package document reads the YAML files that users write: strictly, with every
// problem at its place in the file and with a fix. It knows no kind of file;
// who reads one says which keys there are and checks what they hold. It is
// pure: it reads bytes, not files.
package document
