// Package cni knows network plugins: a catalog with one file per plugin, how
// to render and install a variant, when it is ready, and how to prove that its
// datapath works before anything is measured on it.
package cni
