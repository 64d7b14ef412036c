// Package memory holds the parts of one open memory: the database, the event
// bus, the searcher, the redactor and the clock, as package extension assembles
// them, and the lower half of the publish path, which all of them share.
//
// A message goes down one way. Package extension recognises repeated reports,
// limits trust and stamps; [Memory.Prepare] checks, redacts and makes each message
// an episode; [Batch.Publish] writes the journal and the episodes in one
// transaction. The journal calls back once, for the events that are new.
package memory
