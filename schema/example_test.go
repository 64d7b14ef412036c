package schema_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/ebbmem/ebb/schema"
)

func Example() {
	dir, err := os.MkdirTemp("", "ebb")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	db, err := schema.Open(ctx, filepath.Join(dir, "memory.db"), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	scope := schema.Scope{User: "ada", Session: "march"}
	m := &schema.Memory{Kind: schema.KindEpisode, Role: "user", Content: "I live in Lisbon", Confidence: 1, Origin: schema.OriginUser, Trust: schema.MaxTrust}
	chunks := schema.PrepareChunks(m.Content, "Ada") // before the transaction
	err = db.Write(ctx, func(ctx context.Context, tx *schema.Tx) (err error) {
		if m.UserID, err = tx.UserID(ctx, scope); err != nil {
			return err
		}
		if m.SessionID, err = tx.SessionID(ctx, m.UserID, scope.Session); err != nil {
			return err
		}
		return tx.InsertMemory(ctx, m, chunks)
	})
	if err != nil {
		log.Fatal(err)
	}
	err = db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		got, err := s.Memory(ctx, m.UserID, m.UID)
		if err != nil {
			return err
		}
		fmt.Println(got.SessionName, got.Kind, got.Content)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: march episode I live in Lisbon
}
