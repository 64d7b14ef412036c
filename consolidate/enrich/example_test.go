package enrich_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/ebbmem/ebb/consolidate/enrich"
	"github.com/ebbmem/ebb/schema"
)

func Example() {
	if err := example(context.Background()); err != nil {
		log.Fatal(err)
	}
	// Output: Vitaly Orlov (person), in 3 memories
}

func example(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "ebb")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db, err := schema.Open(ctx, filepath.Join(dir, "memory.db"), nil)
	if err != nil {
		return err
	}
	defer db.Close()

	scope := schema.Scope{User: "ada"}
	enricher := enrich.New(db, enrich.Options{})
	for _, content := range []string{"The firmware is by Vitaly Orlov, my flatmate.", "We asked Vitya about it.", "Then my flatmate cooked."} {
		m := &schema.Memory{Kind: schema.KindEpisode, Role: "user", Content: content, Confidence: 1, Origin: schema.OriginUser, Trust: schema.MaxTrust}
		err := db.Write(ctx, func(ctx context.Context, tx *schema.Tx) (err error) {
			if m.UserID, err = tx.UserID(ctx, scope); err != nil {
				return err
			}
			return tx.InsertMemory(ctx, m, schema.PrepareChunks(content, ""))
		})
		if err != nil {
			return err
		}
		if err := enricher.Enrich(ctx, scope, m.UID); err != nil {
			return err
		}
	}
	return db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, scope)
		if err != nil {
			return err
		}
		found, err := s.EntitiesByName(ctx, userID, "vitya")
		for _, e := range found {
			fmt.Printf("%s (%s), in %d memories\n", e.Name, e.Type, e.MentionCount)
		}
		return err
	})
}
