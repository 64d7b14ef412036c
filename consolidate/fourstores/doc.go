// Package fourstores has the blocks, the nights and the reflection of the FourStores
// profile (four-stores-skill.md).
//
// [Reflections] is a reflection that asks: it requests tokens, waits for the grant,
// drafts, waits for the approval, and records everything as one run. Each state is one
// pending proposal, and each step decides one and stores the next in one write. A
// process that is killed leaves the state before or after a step. The decided proposals
// are the archive of reflections and rewards: no search finds them, and no night reads
// them. docs/profiles/FOURSTORES.md lists the differences from the document.
package fourstores
