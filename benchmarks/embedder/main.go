// Embedder measures what an embedder adds: it imports labelled conversations,
// embeds them through langchaingo's OpenAI client, asks each question by text
// alone, by vectors alone and by both, and compares the answers with a paired
// bootstrap.
//
//	embedder --url http://127.0.0.1:8089/v1 DIR...
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/ebbmem/ebb/consolidate/embed"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/internal/evalset"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

type options struct {
	url, model, keep string
	dims             int
	weight           float64
}

func main() {
	var o options
	flag.StringVar(&o.url, "url", "http://127.0.0.1:8089/v1", "address of the embedding API")
	flag.StringVar(&o.model, "model", "use-lite", "the embedding model's name")
	flag.StringVar(&o.keep, "keep", "", "keep the memories in this folder and use them again (default: a temporary one)")
	flag.IntVar(&o.dims, "dims", 0, "cut vectors to so many numbers (default 0: all)")
	flag.Float64Var(&o.weight, "weight", -1, "weight of the vector signal (default -1: the product's)")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "name at least one folder with conversations/ and queries.jsonl")
		os.Exit(2)
	}
	if err := run(context.Background(), o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "embedder:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, sets []string) (err error) {
	if o.keep == "" {
		if o.keep, err = os.MkdirTemp("", "ebb-embedder-*"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(o.keep)) }()
	}
	client, err := openai.New(openai.WithBaseURL(o.url), openai.WithToken("none"),
		openai.WithModel(o.model), openai.WithEmbeddingModel(o.model))
	if err != nil {
		return err
	}
	embedder, err := embeddings.NewEmbedder(client)
	if err != nil {
		return err
	}
	var all outcome
	for _, dir := range sets {
		set, err := evalset.Load(dir)
		if err != nil {
			return err
		}
		name := filepath.Base(dir)
		if err := writeQuestions(ctx, embedder, set, filepath.Join(o.keep, name+".questions.json")); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		found, err := measure(ctx, o, embedder, set, filepath.Join(o.keep, name+".db"))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		found.print(name)
		all = all.join(found)
	}
	if len(sets) > 1 {
		all.print("all")
	}
	return nil
}

// writeQuestions keeps the questions' vectors beside the memory, for
// BenchmarkCodesOfRealVectors.
func writeQuestions(ctx context.Context, embedder embeddings.Embedder, set *evalset.Set, path string) error {
	questions := make([]string, len(set.Queries))
	for i, q := range set.Queries {
		questions[i] = q.Question
	}
	vectors, err := embedder.EmbedDocuments(ctx, questions)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(vectors)
	if err != nil {
		return err
	}
	return os.WriteFile(path, raw, 0o600)
}

// take imports the set's conversations, each under a user of its own.
func take(ctx context.Context, set *evalset.Set, path string) (err error) {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	now := set.Conversations[0].Turns[0].Time
	x, err := extension.Open(ctx, path, &extension.Config{Now: func() time.Time { return now }, Location: time.UTC, Night: extension.NightConfig{NoSchedule: true}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(ctx)) }()
	for _, c := range set.Conversations {
		f, err := os.Open(c.Path)
		if err != nil {
			return err
		}
		_, err = x.Import(ctx, f, transfer.ImportOptions{
			Scope: extension.Scope{User: c.Name}, Clock: func(t time.Time) { now = t },
		})
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return x.WaitIdle(ctx)
}

func measure(ctx context.Context, o options, embedder embeddings.Embedder, set *evalset.Set, path string) (found outcome, err error) {
	if err := take(ctx, set, path); err != nil {
		return found, err
	}
	db, err := schema.Open(ctx, path, nil)
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	vectors, err := embed.New(db, embedder, embed.Options{Model: o.model, Dims: o.dims})
	if err != nil {
		return found, err
	}
	if err := vectors.Start(ctx); err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, vectors.Stop(ctx)) }()
	started := time.Now()
	if err := vectors.WaitIdle(ctx); err != nil {
		return found, err
	}
	stats, err := vectors.Stats(ctx)
	if err != nil {
		return found, err
	}
	fmt.Printf("%s: %d chunks, %d pending, %d numbers, %s\n", filepath.Base(path), stats.Chunks, stats.Pending, stats.Dims, time.Since(started).Round(time.Millisecond))

	weights := recall.DefaultWeights()
	if o.weight >= 0 {
		weights.Vector = o.weight
	}
	alone := recall.Weights{Vector: 1}
	with := recall.VectorOptions{Embedder: vectors, Timeout: time.Minute}
	searchers := [arms]*recall.Searcher{
		text:   recall.New(db, recall.Options{}),
		vector: recall.New(db, recall.Options{Weights: &alone, Vectors: with}),
		hybrid: recall.New(db, recall.Options{Weights: &weights, Vectors: with}),
	}
	for arm, s := range searchers {
		defer s.Close()
		for _, q := range set.Queries {
			ranking, err := ask(ctx, s, q)
			if err != nil {
				return found, fmt.Errorf("question %s: %w", q.ID, err)
			}
			found[arm] = append(found[arm], evalset.Score(ranking, q.Evidence))
		}
	}
	return found, nil
}

func ask(ctx context.Context, s *recall.Searcher, q evalset.Query) ([]evalset.Ranked, error) {
	answer, err := s.Search(ctx, schema.Scope{User: q.Conversation}, recall.Query{Text: q.Question, Now: q.Time, Limit: 20, Wait: true})
	if err != nil {
		return nil, err
	}
	if len(answer.Degraded) > 0 {
		return nil, fmt.Errorf("the %s arm did not answer: %s", answer.Degraded[0].Arm, answer.Degraded[0].Reason)
	}
	found := make([]evalset.Found, len(answer.Results))
	for i, r := range answer.Results {
		found[i] = evalset.Found{Turns: []string{r.Memory.EventID}, Text: r.Memory.Content, Score: r.Score}
	}
	return evalset.Rank(found), nil
}
