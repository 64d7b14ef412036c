package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/schema"
)

// askedInFull is for how many users every read-only call is made, which takes some
// 4 ms each. For other users every row is only read as a search reads it.
const askedInFull = 100

// reading reads everything of every user through the calls that hosts make, which
// finds rows of any table that make a call fail.
func (e *examination) reading(ctx context.Context, x *extension.Extension) {
	const name = "reading as a program does"
	users, err := x.Users(ctx)
	if err != nil {
		e.unread(name, err, fixRestore)
		return
	}
	broken := make(map[string]int) // failing call → number of users
	each := (len(users) + askedInFull - 1) / askedInFull
	for i, user := range users {
		for _, failed := range readAll(ctx, x, user.Scope(), i%each == 0) {
			broken[failed]++
		}
		if ctx.Err() != nil {
			return
		}
	}
	if _, err := x.Health(ctx); err != nil && !errors.Is(err, schema.ErrBusy) {
		broken["health: "+plain(err)]++
	}
	if len(broken) == 0 {
		e.note(name, OK, "", "")
		return
	}
	for failed, n := range broken {
		e.note(name, Damaged, fmt.Sprintf("%s (users: %d)", failed, n), fixRestore)
	}
}

// readAll reads every row of a user as a search does and, if full is set, makes
// every read-only call. It returns what fails.
func readAll(ctx context.Context, x *extension.Extension, scope schema.Scope, full bool) (failed []string) {
	note := func(what string, call func() error) {
		var err error
		if broken := schema.Guard(func() { err = call() }); broken != nil {
			err = broken
		}
		if errors.Is(err, transfer.ErrErasing) || errors.Is(err, schema.ErrBusy) {
			return // the check of the erasures lists it; another program holds the file
		}
		if err != nil {
			failed = append(failed, what+": "+plain(err))
		}
	}
	if full {
		note("search", func() error {
			answer, err := x.Recall(ctx, scope, extension.Query{Text: "What did I say?", Wait: true, Dormant: true})
			if err == nil && len(answer.Degraded) > 0 {
				return errors.New(answer.Degraded[0].Reason)
			}
			return err
		})
	}
	note("memories", func() error {
		parts := x.Parts()
		return parts.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
			userID, err := s.UserID(ctx, scope)
			if err != nil {
				return err
			}
			parts.Searcher.Forget(userID) // frees memory for the next user's text
			return s.ReadMemories(ctx, userID)
		})
	})
	if !full {
		return failed
	}
	note("export", func() error { _, err := x.Export(ctx, io.Discard, scope); return err })
	note("stream", func() error { _, err := x.ExportStream(ctx, io.Discard, scope); return err })
	note("timeline", func() error { _, err := x.Timeline(ctx, scope, extension.TimelineQuery{Limit: 1}); return err })
	note("statistics", func() error { _, err := x.Stats(ctx, scope); return err })
	note("profile", func() error { _, err := x.Profile(ctx, scope); return err })
	note("blocks", func() error { return readBlocks(ctx, x, scope) })
	note("runs", func() error { _, err := x.Runs(ctx, scope, 0); return err })
	note("proposals", func() error { _, err := x.Proposals(ctx, scope); return err })
	note("quarantine", func() error { _, err := x.Quarantined(ctx, scope, 0); return err })
	note("erasures", func() error { _, err := x.Erasures(ctx, scope); return err })
	return failed
}

// readBlocks reads every version of a user's blocks.
func readBlocks(ctx context.Context, x *extension.Extension, scope schema.Scope) error {
	blocks, err := x.AllBlocks(ctx, scope)
	for i := range blocks {
		scope.Agent = blocks[i].Agent
		_, read := x.BlockHistory(ctx, scope, blocks[i].Name)
		err = errors.Join(err, read)
	}
	return err
}
