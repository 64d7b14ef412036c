// Package recall finds memories: a query becomes a ranked, explained answer.
//
// A [Searcher] reads one user's memory at a time. A search goes through
// stages, each in a file of its own:
//
//	understand  what is asked: terms and their relatives, names, times, the
//	            kind of answer (question.go, lexicon.go)
//	arms        what could be meant: each arm proposes memories from one point
//	            of view, scoped to the user inside its own query (arm.go, textarm.go,
//	            timearm.go, entityarm.go, vectorarm.go)
//	fuse        the arms' rankings become one list (fuse.go)
//	score       a linear ranker adds up documented signals at the query's now
//	            (signals.go, feedback.go, score.go)
//	ration      derived memories do not crowd out the turns (ration.go)
//	diversify   maximal marginal relevance, when asked for (diversify.go)
//	budget      what fits into so many tokens, when asked for (diversify.go)
//
// # The text arm
//
// The words of a user's messages are kept in memory as an inverted index,
// built from the durable chunks of [schema] on the first search and brought up
// to date before every search. Where there is much to read, the first searches
// look through the newest alone, and say so, while the rest is read in the
// background; [Query.Wait] waits for it. It scores by BM25 with that user's statistics
// alone: what another user stores changes nothing. A message is found by its
// best chunk, and the turns beside a hit in its session get a share of it; entries of
// a log that refer to one issue stand beside each other like turns. Facts
// and preferences are keys to the turns they rest on (keys.go), and keep to a
// share of the first results (ration.go).
//
// # The vector arm
//
// With an [Embedder] in [VectorOptions], memories are also found by meaning.
// The query's vector is asked for before the search opens its snapshot, and
// not waited for longer than a timeout; then the arm is reported as degraded and
// the others answer. A user's vectors of the serving generation are kept in
// memory and all compared with the query (vectorset.go). Of a large set it is
// their codes: those whose signs are most like the query's (vectorcodes.go,
// vectornearest.go) are compared by all that the codes hold (vectorfine.go), and
// the best of these as they are on disk. What compares codes is in vectorkernels.go,
// and for processors with AVX2 in assembly beside it. How much a cosine says is judged by what is usual for that query, and by whether the
// embedder understands its language at all (vectorsignal.go).
//
// # What the science depends on
//
// Scores are pure functions of the candidates and of now; nothing here reads a
// clock. Searching writes nothing. An arm that fails is reported in
// [Answer.Degraded], never as an empty answer. Every [Result] carries its rank
// in each arm and each signal with its weight, and [Result.Explain] prints them;
// [Searcher.Why] says of a memory that was not returned what kept it out.
// docs/RECALL.md says where the weights come from and what they reach.
package recall
