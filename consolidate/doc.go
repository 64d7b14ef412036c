// Package consolidate works on memories after the turn that made them.
//
// There are two time scales, as in the brain. Seconds after a message was
// stored, an [Enricher] finds whom and what it mentions and rates how much it
// matters (synaptic consolidation). At night a [Runner] goes through a list of
// stages over everything (systems consolidation), and a [Schedule] decides
// when that is.
//
// # Seconds later
//
//	enricher := consolidate.NewEnricher(db, consolidate.EnrichOptions{})
//	err := enricher.Enrich(ctx, scope, memoryID)
//
// No model is asked. Names come from text.Mentions; each is resolved to an
// entity of this user or makes a new one. "Vitya" finds Vitaly, "Dr. Hansen"
// finds Ingrid Hansen and "my boss" finds Karim once somebody said who that is,
// but only when a single entity fits: what could be two people is linked with a
// confidence below [Sure] and left to the night. Enriching a memory again
// changes nothing.
//
// [ApplyRecalled] is the other thing that happens behind the turn: it counts
// what was shown to a model.
//
// # Vectors
//
//	vectors, err := consolidate.NewVectoriser(db, embedder, consolidate.VectoriserOptions{Model: "text-embedding-3-large", Dims: 256})
//	err = vectors.Start(ctx)
//	defer vectors.Stop(ctx)
//
// A [Vectoriser] asks the database which pieces of text have no vector yet and
// has them embedded, so that an outage or a crash delays vectors and loses
// none. A text that the embedder refuses is set aside and blocks no other.
// Another model, or another size, makes a generation of vectors of its own
// beside the one that serves and takes its place in one step once it is
// complete.
//
// # The night
//
//	runner, err := consolidate.NewRunner(db, searcher, consolidate.RunnerOptions{})
//	report, err := runner.Run(ctx, scope, consolidate.CauseManual)
//
// A [Stage] reads, thinks for as long as it needs outside any transaction, and
// hands over proposals. Code checks each [Proposal] against the memory as it is
// now and applies those that hold, batch by batch, each in one short transaction
// that carries the run's id. Every proposal's fate is kept with its reason in
// the ledger of runs, and [Runner.Rollback] takes a whole run back.
// [Runner.DryRun] runs a night on a copy.
//
// A run that was killed is taken up where it stopped: a stage's watermark moves
// in the transaction of the batch before it. A run that is repeated changes
// nothing. One lease per database lets one run at a time write, and its term is
// compared in each of those transactions.
//
// The stages of the list are those of [DefaultStages]; a host adds its own
// through [RunnerOptions], and a profile may pick others: [Rate] lets the model
// rate messages, [Cap] puts away what is worth least of too many.
//
// # The model
//
// Stages ask the model through [Input.Model], an [Asker], which keeps to the
// run's [Budget], times each call out, bears the many forms in which models
// write JSON, and shows a model once what was wrong with its answer. What is
// still of no use is left out, visibly, and tried again on later nights.
//
// [Extract] draws claims out of what was said. Each cites its messages and
// quotes them; a name, number or date that does not occur there sets the claim
// aside. Trust comes from the sources, never from the model.
//
// [Conflict] holds claims against each other. Where code can tell what has
// changed, the later takes the place of the earlier, which stays as history;
// about the rest a model is asked. What it says ends nothing that the user
// stated, that is protected or trusted more: that waits for the host.
//
// [Entities] merges two entities of one name, without a model, and leaves to the
// host who is only likely to be one. A model says who is meant by a name that
// fits several, and sums up who is mentioned often in words that the memories
// hold.
//
// [Reflect] asks what recent important memories can answer together and keeps
// the insights that rest on at least two. It is a [Trigger]: when enough has
// happened, the schedule does not wait for the night.
//
// # When
//
//	schedule, err := consolidate.NewSchedule(runner, db, consolidate.ScheduleOptions{})
//	err = schedule.Start(ctx)
//	defer schedule.Stop(ctx)
//
// A clock that fires at 01:00 misses the night in which 01:00 does not exist
// and fires twice when it comes twice. The schedule asks instead, at start, at
// that time and every hour, which users have a local day behind them that was
// not consolidated: see [DueDay].
package consolidate
