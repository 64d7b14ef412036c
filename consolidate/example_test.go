package consolidate_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/consolidate/schedule"
	"github.com/ebbmem/ebb/schema"
)

// exampleDB is a memory whose clock stands still at now, in which something
// was said.
func exampleDB(now *time.Time, said ...string) (db *schema.DB, ids []string, done func()) {
	dir, err := os.MkdirTemp("", "ebb")
	if err != nil {
		log.Fatal(err)
	}
	db, err = schema.Open(context.Background(), filepath.Join(dir, "memory.db"), &schema.Options{Now: func() time.Time { return *now }})
	if err != nil {
		log.Fatal(err)
	}
	err = db.Write(context.Background(), func(ctx context.Context, tx *schema.Tx) error {
		userID, err := tx.UserID(ctx, schema.Scope{User: "ada"})
		if err != nil {
			return err
		}
		for _, text := range said {
			m := &schema.Memory{UserID: userID, Kind: schema.KindEpisode, Role: "user", Content: text, Confidence: 1, Origin: schema.OriginUser, Trust: 4}
			if err := tx.InsertMemory(ctx, m, schema.PrepareChunks(text, "")); err != nil {
				return err
			}
			ids = append(ids, m.UID)
		}
		// A guess from an old conversation that was not used since.
		return tx.InsertMemory(ctx, &schema.Memory{
			UserID: userID, Kind: schema.KindFact, Content: "Ada may like trams", Confidence: .6, Importance: .3,
			DecayRate: schema.DefaultDecayRate, Origin: schema.OriginAssistant, Trust: 2,
		}, nil)
	})
	if err != nil {
		log.Fatal(err)
	}
	return db, ids, func() {
		if err := db.Close(); err != nil {
			log.Print(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			log.Print(err)
		}
	}
}

func ExampleRunner_Run() {
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	db, _, done := exampleDB(&now)
	defer done()
	now = now.AddDate(0, 6, 0)

	everything := 1.0
	runner, err := consolidate.NewRunner(db, nil, consolidate.RunnerOptions{RetirementCap: &everything})
	if err != nil {
		log.Fatal(err)
	}
	report, err := runner.Run(context.Background(), schema.Scope{User: "ada"}, consolidate.CauseManual)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Summary())
	// Output: prune: 1 derived, 1 faded, 1 fading, 1 retire applied
}

func ExampleDueDay() {
	oslo := time.FixedZone("", 3600)
	now := time.Date(2026, 1, 13, 8, 0, 0, 0, oslo) // after three days asleep
	fmt.Println(schedule.DueDay(now, "2026-01-09", oslo, time.Hour))
	fmt.Println(schedule.DueDay(now, "2026-01-12", oslo, time.Hour))
	// Output:
	// 2026-01-12 true
	// 2026-01-12 false
}
