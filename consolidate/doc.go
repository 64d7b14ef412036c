// Package consolidate runs nights: it goes through a user's memories, draws
// claims and insights out of them with a model, settles contradictions, merges
// entities and retires what has faded.
//
// What happens seconds after a message was stored is in
// [github.com/ebbmem/ebb/consolidate/enrich], vectors are in
// [github.com/ebbmem/ebb/consolidate/embed], questions to a model in
// [github.com/ebbmem/ebb/consolidate/ask], and which local days are due in
// [github.com/ebbmem/ebb/consolidate/schedule]. [enrich.ApplyRecalled] counts the memories
// that were shown to a model.
//
// # A run
//
//	runner, err := consolidate.NewRunner(db, searcher, consolidate.RunnerOptions{})
//	report, err := runner.Run(ctx, scope, consolidate.CauseManual)
//
// A [Stage] reads and thinks outside any transaction, for as long as it needs,
// and hands over proposals. The runner checks each [Proposal] against the
// current memories and applies those that hold, batch by batch. Each batch is
// one short transaction that carries the run's id and records the outcomes with
// their reasons. [Runner.Rollback] undoes a whole run. [Runner.DryRun] runs a
// night on a copy.
//
// A run that was killed is continued where it stopped, because a stage's
// watermark moves in the transaction of its batch. Repeating a run changes
// nothing. A lease lets one run at a time write to a database; each transaction
// checks the lease's term.
//
// The stages are those of [DefaultStages]. A host adds its own through
// [RunnerOptions], and a profile may choose others: [Rate] lets the model rate
// messages, [Cap] deactivates memories beyond a maximum, [Archive] moves old
// ones to the archival tier.
//
// # Stages with a model
//
// Stages ask the model through [Input.Model], within the run's budget. What the
// model could not answer usably is skipped, recorded, and tried again on later
// nights.
//
// [Extract] draws claims out of messages. Each claim cites its messages and
// quotes them; one with a name, number or date that does not occur there is
// quarantined. A claim's trust is that of its sources, never the model's choice.
//
// [Conflict] compares claims with each other. Where code can tell what has
// changed, the later claim supersedes the earlier, which stays as history. About
// the rest it asks the model, whose verdict ends nothing that the user stated,
// or that is protected or trusted more: those wait for the host.
//
// [Entities] merges entities of the same name without a model and leaves likely
// pairs to the host. With a model it resolves names that fit several entities
// and summarises those mentioned often.
//
// [Reflect] asks what recent important memories answer together, and keeps
// insights that rest on at least two of them. It is a [Trigger]: once enough has
// happened, the schedule does not wait for the night.
package consolidate
