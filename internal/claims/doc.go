// Package claims holds published figures and statements about the performance
// of network plugins, as data with source, line, date and conditions, and holds
// them against two things: against themselves, which needs no measurement
// ([Lint]), and against the results of a campaign ([Check]). The five documents
// that cnibench began with are embedded ([Published]); users add files
// ([Parse]). It is pure.
package claims
