// Package kernel tells what the kernel of a node can do. A feature is tried
// for real, in network and mount namespaces that are made for the trials and
// end with them; the kernel's configuration and its modules are read besides,
// to explain an answer and to stand in where a trial was not permitted.
//
// A trial may make the kernel load a module by itself, as any user of the
// feature would. Such a module stays loaded, except the three whose loading
// puts interfaces into network namespaces of others (ipip, ip_gre, dummy):
// those are unloaded again. No module is ever loaded by name.
//
// What only parses or compares is pure and builds everywhere.
package kernel
