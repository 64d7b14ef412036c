package fourstores_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"go.uber.org/goleak"

	. "github.com/ebbmem/ebb/consolidate/fourstores"
	"github.com/ebbmem/ebb/extension/doctor"
	"github.com/ebbmem/ebb/internal/racing"
	"github.com/ebbmem/ebb/recall/stores"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
	"github.com/ebbmem/ebb/schema/undo"
)

var (
	noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	ada  = schema.Scope{User: "ada"}
)

// The test binary is also the child that is killed.
func TestMain(m *testing.M) {
	if step := os.Getenv("EBB_KILLED"); step != "" {
		if err := child(os.Getenv("EBB_FILE"), step, os.Getenv("EBB_WHEN")); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// die is kill −9 of the process itself.
func die() {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		_ = p.Kill()
	}
	select {}
}

// model answers the prompt of a reflection.
type model struct{ before func() }

func (m model) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	if m.before != nil {
		m.before()
	}
	elements := make([]Element, 8)
	for i := range elements {
		elements[i].Text = fmt.Sprint("A thought about the cellar, number ", i)
	}
	raw, err := json.Marshal(map[string]any{
		"elements": elements, "summary": "He has a cellar.", "awareness": []string{"I hesitate"}, "patterns": []string{},
		"insights": []Insight{{"The user keeps things in the cellar", 9, []string{"r1", "r2"}}},
	})
	if err != nil {
		return nil, err
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{ToolCalls: []llms.ToolCall{{FunctionCall: &llms.FunctionCall{Name: "reflection", Arguments: string(raw)}}}}}}, nil
}

func (model) Call(context.Context, string, ...llms.CallOption) (string, error) {
	return "", errors.New("not used")
}

func openDB(path string) (*schema.DB, error) {
	return schema.Open(context.Background(), path, &schema.Options{Now: func() time.Time { return noon }})
}

func reflections(db *schema.DB, m model) *Reflections {
	specs := Blocks()
	return New(Options{DB: db, Model: m, Stores: stores.Document(), Block: func(name string) *core.BlockSpec {
		for i := range specs {
			if specs[i].Name == name {
				return &specs[i]
			}
		}
		return nil
	}})
}

// steps take a reflection one state further.
var steps = []step{
	{"request", func(ctx context.Context, r *Reflections, _ string) error {
		_, err := r.Request(ctx, ada, Request{Extra: 100})
		return err
	}, Idle, Requested},
	{"grant", func(ctx context.Context, r *Reflections, id string) error {
		_, err := r.Grant(ctx, ada, id, Grant{})
		return err
	}, Requested, Granted},
	{"draft", func(ctx context.Context, r *Reflections, id string) error {
		_, err := r.Draft(ctx, ada, id)
		return err
	}, Granted, Drafted},
	{"approve", func(ctx context.Context, r *Reflections, id string) error {
		_, err := r.Approve(ctx, ada, id)
		return err
	}, Drafted, Recorded},
}

// rejecting is a step in which a reflection ends in its stead.
var rejecting = step{"reject", func(ctx context.Context, r *Reflections, id string) error { return r.Reject(ctx, ada, id) }, Drafted, Rejected}

type step struct {
	name string
	take func(context.Context, *Reflections, string) error
	from State
	to   State
}

// child goes through the steps, and dies in the one that is named.
func child(path, step, when string) error {
	db, err := openDB(path)
	if err != nil {
		return err
	}
	ctx := context.Background()
	err = db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		userID, err := tx.UserID(ctx, ada)
		for _, said := range []string{"I keep apples in the cellar.", "I keep pears in the cellar."} {
			m := &schema.Memory{UserID: userID, Kind: schema.KindEpisode, Role: "user", Content: said, Confidence: 1, Origin: schema.OriginUser, Trust: schema.MaxTrust}
			if err == nil {
				err = tx.InsertMemory(ctx, m, schema.PrepareChunks(said, ""))
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	todo := steps
	if step == rejecting.name {
		todo = append(slices.Clone(steps[:len(steps)-1]), rejecting)
	}
	for _, s := range todo {
		m := model{}
		during := ctx
		if s.name == step && when == "during" {
			switch step {
			case "draft":
				m.before = die // the model is asked outside of any write
			case "approve":
				db.OnBlock(func(context.Context, *schema.Tx, schema.BlockWritten) error { die(); return nil })
			default:
				during = schema.Around(ctx, func(_ context.Context, _ *schema.Tx, write func() error) error {
					if err := write(); err != nil {
						return err
					}
					die()
					return nil
				})
			}
		}
		r := reflections(db, m)
		now, err := r.Status(ctx, ada)
		if err == nil {
			err = s.take(during, r, now.ID)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if s.name == step {
			die() // when it is done
		}
	}
	return errors.New("nobody died")
}

// A process that is killed in a step leaves the state before it, one that is killed
// after it the state behind it; from there the reflection goes on to its end, and undoing
// it leaves nothing.
func TestKilledInEveryState(t *testing.T) {
	if racing.On {
		t.Skip("what is killed is a process of its own: left to the run without the race detector")
	}
	for at, step := range append(slices.Clone(steps), rejecting) {
		for _, when := range []string{"during", "after"} {
			t.Run(step.name+" "+when, func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "memory.db")
				cmd := exec.CommandContext(t.Context(), os.Args[0])
				cmd.Env = append(os.Environ(), "EBB_KILLED="+step.name, "EBB_WHEN="+when, "EBB_FILE="+path)
				out, err := cmd.CombinedOutput()
				require.Error(t, err)
				require.Empty(t, string(out))
				db, err := openDB(path)
				require.NoError(t, err)
				defer func() { require.NoError(t, db.Close()) }()
				r := reflections(db, model{})
				now, err := r.Status(t.Context(), ada)
				require.NoError(t, err)
				want, left := step.from, steps[min(at, len(steps)-1):]
				if when == "after" {
					want, left = step.to, steps[min(at+1, len(steps)):]
				}
				require.Equal(t, want, now.State)
				requireSound(t, path)
				if want == Rejected { // the next one begins anew
					left = steps
				}
				for _, s := range left {
					require.NoError(t, s.take(t.Context(), r, now.ID), s.name)
					now, err = r.Status(t.Context(), ada)
					require.NoError(t, err)
					require.Equal(t, s.to, now.State)
				}
				run, blocks, reflected := look(t, db)
				require.NotEmpty(t, run)
				require.Contains(t, blocks, "I hesitate")
				require.Equal(t, 1, reflected)
				require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
					userID, err := tx.UserID(ctx, ada)
					if err != nil {
						return err
					}
					undone, err := undo.Run(ctx, tx, userID, run, schema.Actor{Name: "host"})
					require.Empty(t, undone.Kept)
					return err
				}))
				requireSound(t, path)
				_, blocks, reflected = look(t, db)
				require.NotContains(t, blocks, "I hesitate")
				require.Zero(t, reflected)
			})
		}
	}
}

// requireSound requires a file without a fault.
func requireSound(t *testing.T, path string) {
	t.Helper()
	d, err := doctor.Diagnose(t.Context(), path, schema.Key{})
	require.NoError(t, err)
	require.NotEmpty(t, d.Checks)
	for _, c := range d.Checks {
		if c.Name != "episodes have their message" { // they were stored without a bus
			require.NotEqual(t, doctor.Damaged, c.State, "%s: %s", c.Name, c.Detail)
		}
	}
}

// look returns the last run, the contents of the blocks, and the number of insights.
func look(t *testing.T, db *schema.DB) (run, blocks string, reflections int) {
	t.Helper()
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, ada)
		if err != nil {
			return err
		}
		runs, err := s.Runs(ctx, userID, 1)
		if err != nil {
			return err
		}
		run = runs[0].UID
		all, err := core.AllBlocks(ctx, s, userID)
		if err != nil {
			return err
		}
		for _, b := range all {
			blocks += b.Content
		}
		reflections, err = s.Night().CountMeeting(ctx, userID, schema.StateActive, &schema.Conditions{Kind: schema.KindReflection})
		return err
	}))
	return run, blocks, reflections
}
