// Package cni knows network plugins: a catalog with one file per plugin, how
// to render and install a variant, what it requires, when it is ready, how to
// prove that its datapath works before anything is measured on it, and how to
// remove it so that nodes are as they were.
package cni
