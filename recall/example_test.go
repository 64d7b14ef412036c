package recall_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

func ExampleSearcher() {
	dir, err := os.MkdirTemp("", "recall")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx, now := context.Background(), time.Date(2025, 5, 14, 12, 0, 0, 0, time.UTC)
	db, err := schema.Open(ctx, filepath.Join(dir, "memory.db"), &schema.Options{Now: func() time.Time { return now }})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	scope := schema.Scope{User: "ada"}
	err = db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		user, err := tx.UserID(ctx, scope)
		if err != nil {
			return err
		}
		for _, said := range []string{"My aunt is a painter.", "The ferry was late again."} {
			m := &schema.Memory{UserID: user, Kind: schema.KindEpisode, Role: "user", Speaker: "Ada", Content: said, Confidence: 1, Importance: 0.5, Origin: schema.OriginUser}
			if err := tx.InsertMemory(ctx, m, schema.PrepareChunks(said, m.Speaker)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}

	answer, err := recall.New(db, recall.Options{}).Search(ctx, scope, recall.Query{Text: "Who paints?"})
	if err != nil {
		log.Fatal(err)
	}
	best := answer.Results[0]
	fmt.Println(best.Memory.Content)
	for _, s := range best.Signals {
		if s.Name == "related" {
			fmt.Println(s.Name, s.Value)
		}
	}
	// Output:
	// My aunt is a painter.
	// related 1
}
