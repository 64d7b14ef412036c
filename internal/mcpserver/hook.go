package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/schema"
)

// hook is the part that is read of what Claude Code writes to a hook of the events
// UserPromptSubmit and SessionStart.
type hook struct {
	Session string `json:"session_id"`
	Prompt  string `json:"prompt"`    // "" at the start of a session
	ID      string `json:"prompt_id"` // of newer versions
	Folder  string `json:"cwd"`
}

// hookPatience is how long a hook waits until what earlier hooks recorded is understood.
const hookPatience = 500 * time.Millisecond

// AnswerHook answers one hook of Claude Code, which writes an event to in and puts what it
// reads from out before its model: the context for the prompt, or at the start of a
// session the core section. With [Options].WriteTurns the prompt is recorded, with the
// trust that record_turn gives to role user, and with the name of its repository
// ([schema.AttrProject]). The client also calls the hook for prompts
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
		err = errors.Join(err, c.record(ctx, turn{Role: "user", Text: h.Prompt, ID: h.ID}, eventbus.Attribute(schema.AttrProject, projectOf(h.Folder))))
	}
	if found.Block != "" {
		_, failed := fmt.Fprintln(out, found.Block)
		printed, err = failed == nil, errors.Join(err, failed)
	}
	c.finish(ctx)
	return err
}

// projectOf returns the name of the git repository that a folder is in, "" for none. A worktree
// has that of its repository. A home directory that is one is no project.
func projectOf(folder string) string {
	if !filepath.IsAbs(folder) {
		return ""
	}
	root := filepath.Clean(folder)
	info, err := os.Stat(filepath.Join(root, ".git"))
	for ; err != nil; info, err = os.Stat(filepath.Join(root, ".git")) {
		above := filepath.Dir(root)
		if above == root {
			return ""
		}
		root = above
	}
	if home, err := os.UserHomeDir(); err == nil && root == home {
		return ""
	}
	if !info.IsDir() {
		link, err := os.ReadFile(filepath.Join(root, ".git"))
		if of, _, worktree := strings.Cut(strings.TrimPrefix(string(link), "gitdir: "), "/.git/worktrees/"); err == nil && worktree {
			root = of
		}
	}
	name := filepath.Base(root)
	if schema.ValidAttribute(schema.AttrProject, name) != nil {
		return ""
	}
	return name
}
