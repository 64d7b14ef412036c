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
	f := calls{broken: make(map[string]int)}
	each := (len(users) + askedInFull - 1) / askedInFull
	for i, user := range users {
		readAll(ctx, x, user.Scope(), i%each == 0, f.note)
		if ctx.Err() != nil {
			return
		}
	}
	f.note("health", func() error { _, err := x.Health(ctx); return err })
	f.report(e, name)
}

// calls are those that failed.
type calls struct {
	broken  map[string]int // by what is wrong in the file: the number of users
	outside error          // the first for another reason, see outside
}

// note makes a call.
func (f *calls) note(what string, call func() error) {
	var err error
	if broken := schema.Guard(func() { err = call() }); broken != nil {
		err = broken
	}
	if err == nil || errors.Is(err, transfer.ErrErasing) { // the check of the erasures lists it
		return
	}
	if state, _, _ := outside(err); state == "" {
		f.broken[what+": "+plain(err)]++
	} else if f.outside == nil {
		f.outside = err
	}
}

func (f *calls) report(e *examination, name string) {
	for failed, n := range f.broken {
		e.note(name, Damaged, fmt.Sprintf("%s (users: %d)", failed, n), fixRestore)
	}
	if f.outside != nil {
		e.unread(name, f.outside, fixRestore)
	} else if len(f.broken) == 0 {
		e.note(name, OK, "", "")
	}
}

// readAll reads every row of a user as a search does and, if full is set, makes
// every read-only call.
func readAll(ctx context.Context, x *extension.Extension, scope schema.Scope, full bool, note func(what string, call func() error)) {
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
		return
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
