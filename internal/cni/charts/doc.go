// Package charts gets Helm charts and manifests from where they are: a
// directory, the lab's kit, a Helm repository, an OCI registry or an address on
// the web. What came over the network is kept in a cache, so that the same
// variant can be rendered again offline.
package charts
