// Package inspect reads what a host is shown of a memory: counts, the state of
// nights, timelines, and all that hangs on one memory. It writes nothing.
package inspect
