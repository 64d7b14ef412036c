// Package inspector is the page on which a person looks at a memory: what a
// question brings back and why, what the agent is given in every turn, days,
// memories, entities, nights, and what waits for a decision.
//
// # Who may look
//
// [Page.Link] makes a link that opens the page once and for a few minutes. It is
// exchanged for a cookie (HttpOnly, SameSite=Strict), which is for this process
// alone: nothing is kept. Host and Origin are checked by the server around it
// (package server). Every form carries a token of its session.
//
// # What is written
//
// Nothing, unless [Options].Write. A change is one run of the ledger with the
// person's reason (schema/undo.Record), so that each is undone as nights are.
//
// All text of a memory is hostile. It reaches the page through html/template alone,
// and the page carries no script: its policy allows none, nor inline styles, nor
// anything of another site.
package inspector
