// Package load knows the load generators: how to call them, what their output
// says, and how the results of several processes make one. There is a file per
// generator. Nothing here runs a program or reads a file.
package load
