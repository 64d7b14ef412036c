package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// hook is the part that is read of what Claude Code writes to a hook of the events
// UserPromptSubmit and SessionStart.
type hook struct {
	Session string `json:"session_id"`
	Prompt  string `json:"prompt"`    // "" at the start of a session
	ID      string `json:"prompt_id"` // of newer versions
}

// hookPatience is how long a hook waits until what earlier hooks recorded is understood.
const hookPatience = 500 * time.Millisecond

// AnswerHook answers one hook of Claude Code, which writes an event to in and puts what it
// reads from out before its model: the context for the prompt, or at the start of a
// session the core section. With [Options].WriteTurns the prompt is recorded, with the
// trust that record_turn gives to role user. The client also calls the hook for prompts
// that the user has not written, such as those of scheduled tasks.
//
// No error is a [*schema.InvalidError]: the exit code for wrong usage would block the
// prompt. After something was printed an error goes to [File].Tell instead: the client drops the
// output of a hook that fails.
func AnswerHook(ctx context.Context, f File, o Options, in io.Reader, out io.Writer) (err error) {
	printed := false
	defer func() {
		if err != nil {
			err = errors.New("the hook failed: " + err.Error())
		}
		if err != nil && printed && f.Tell != nil {
			f.Tell(err.Error())
			err = nil
		}
	}()
	raw, err := io.ReadAll(io.LimitReader(in, MaxMessage))
	if err != nil {
		return err
	}
	var h hook
	if err := json.Unmarshal(raw, &h); err != nil {
		return errors.New("standard input is not an event of Claude Code")
	}
	x, scope, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(context.WithoutCancel(ctx))) }()
	if scope.Session = "claude-code " + h.Session; h.Session == "" || schema.ValidLabel("session", scope.Session) != nil {
		scope.Session = f.Scope.Session
	}
	c, err := NewConversation(x, scope, o)
	if err != nil {
		return err
	}
	c.settle(ctx, hookPatience)
	found, err := c.session.Context(ctx, h.Prompt)
	if o.WriteTurns && strings.TrimSpace(h.Prompt) != "" { // also if nothing could be recalled
		err = errors.Join(err, c.record(ctx, turn{Role: "user", Text: h.Prompt, ID: h.ID}))
	}
	if found.Block != "" {
		_, failed := fmt.Fprintln(out, found.Block)
		printed, err = failed == nil, errors.Join(err, failed)
	}
	c.finish(ctx)
	return err
}
