// Package image composes container images from layers on disk and writes them
// as docker-archive files, byte for byte the same for the same content.
package image
