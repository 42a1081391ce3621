// Package debian uses Debian packages privately: apt-get with state of its own
// downloads and verifies them, and their files become trees. Nothing is
// installed on the machine and no maintainer script runs.
package debian
