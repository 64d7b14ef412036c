package embed_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ebbmem/ebb/consolidate/embed"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// letters is an embedder for the example. It counts the letters of a text.
type letters struct{}

func (letters) EmbedDocuments(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = make([]float32, 26)
		for _, r := range text {
			if 'a' <= r && r <= 'z' {
				vectors[i][r-'a']++
			}
		}
	}
	return vectors, nil
}

func (l letters) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	vectors, err := l.EmbedDocuments(ctx, []string{text})
	return vectors[0], err
}

func ExampleWorker() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "ebb")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	db, err := schema.Open(ctx, filepath.Join(dir, "memory.db"), nil)
	if err != nil {
		panic(err)
	}
	defer db.Close()
	scope := schema.Scope{User: "ada"}
	for _, said := range []string{"we named her marzipan", "the flat has a balcony"} {
		err := db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
			user, err := tx.UserID(ctx, scope)
			if err != nil {
				return err
			}
			m := &schema.Memory{UserID: user, Kind: schema.KindEpisode, Content: said, Confidence: 1, Origin: schema.OriginUser, Trust: schema.MaxTrust}
			return tx.InsertMemory(ctx, m, schema.PrepareChunks(said, ""))
		})
		if err != nil {
			panic(err)
		}
	}

	worker, err := embed.New(db, letters{}, embed.Options{Model: "letters"})
	if err != nil {
		panic(err)
	}
	defer worker.Stop(ctx)
	if err := worker.Start(ctx); err != nil {
		panic(err)
	}
	if err := worker.WaitIdle(ctx); err != nil {
		panic(err)
	}
	stats, err := worker.Stats(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println(stats.Chunks, "texts,", stats.Pending, "pending for", stats.Model)

	searcher := recall.New(db, recall.Options{Vectors: recall.VectorOptions{Embedder: worker}})
	defer searcher.Close()
	answer, err := searcher.Search(ctx, scope, recall.Query{Text: "marzpian"}) // misspelt, so that no word matches
	if err != nil {
		panic(err)
	}
	fmt.Println(answer.Results[0].Memory.Content)
	// Output:
	// 2 texts, 0 pending for letters
	// we named her marzipan
}
