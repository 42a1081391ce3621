// Package examination looks at a cluster, a lab or this machine and takes the
// snapshot that package doctor judges. It changes nothing but what it takes
// away again: load pods and a Service in the namespace of cnibench.
package examination
