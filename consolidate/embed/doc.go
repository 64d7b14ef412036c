// Package embed makes the vectors of stored texts in the background and those
// of queries on demand.
//
//	worker, err := embed.New(db, embedder, embed.Options{Model: "text-embedding-3-large", Dims: 256})
//	err = worker.Start(ctx)
//	defer worker.Stop(ctx)
//
// A [Worker] asks the database which chunks of text have no vector yet and has
// them embedded, so an outage or a crash delays vectors and loses none. A text
// that the embedder refuses is skipped for an hour and does not hold up others. One
// process at a time works on a database, under a lease.
//
// Vectors are kept in generations, one for each model and size. Changing the
// model or the size starts a new generation. It serves searches in place of the
// old one once it is complete. A worker of the old model that still runs in another
// process then makes no more vectors, and its queries fail.
package embed
