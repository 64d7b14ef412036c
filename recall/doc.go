// Package recall finds memories: a query becomes a ranked, explained answer.
//
// A [Searcher] searches one user's memory at a time. A search goes through
// stages, each in a file of its own:
//
//	take apart  a planner splits the question, if there is one; what its parts find is
//	            fused with what the question finds (parts.go, recall/planner)
//	understand  the terms of the question and their relatives, its names, times
//	            and kind of answer (question.go, recall/lexicon)
//	arms        each arm proposes candidates in its own way, scoped to the user
//	            inside its own query (arm.go, textarm.go, timearm.go,
//	            entityarm.go, instruction.go, themearm.go, vectorarm.go)
//	score       a linear ranker adds up documented signals of what any arm proposed, at
//	            the query's now (signals.go, feedback.go, score.go)
//	relations   follows what a causal question asks for along the relations of the best
//	            candidates, if the plan says so (linkarm.go)
//	rescore     a profile's scorer orders the most relevant, if there is one (scorer.go)
//	ration      limits derived memories among the first results (diverse.Ration)
//	plan        ranks first what the question's plan is about: a time, a date, the
//	            last conversation (planned.go, recall/lexicon)
//	diversify   applies maximal marginal relevance, if requested (diversify.go)
//	budget      keeps the results within a number of tokens, if requested
//	            (diversify.go)
//	relevance   two logistic models judge whether the memory, and each result, holds an
//	            answer (relevance.go, topic.go, passage.go)
//	rerank      a model orders the best results, if the host has one (rerank.go)
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
// share of the first results (recall/diverse).
//
// # The vector arm
//
// With an [Embedder] in [VectorOptions], memories are also found by meaning.
// The query's vector is asked for before the search opens its snapshot, and
// not waited for longer than a timeout; then the arm is reported as degraded and
// the others answer. A user's vectors of the serving generation are kept in
// memory (vectorset.go), and [github.com/ebbmem/ebb/recall/vector] finds the
// nearest of them. What a cosine says is judged by the distribution of the
// query's cosines, and by whether the embedder understands the query's language
// at all (vectorsignal.go).
//
// # Guarantees
//
// Scores are pure functions of the candidates and of now; nothing here reads a
// clock. Searching writes nothing. An arm that fails is reported in
// [Answer.Degraded], never as an empty answer. Every [Result] carries its rank
// in each arm and each signal with its weight, and [Result.Explain] prints them;
// [Searcher.Why] says of a memory that was not returned what kept it out.
// docs/RECALL.md says where the weights come from and what they reach.
package recall
