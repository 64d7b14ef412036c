// Ebb is ebb as a host uses it: Bus().Publish for a turn, Import for a
// history, Recall for a search.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"path/filepath"
	"time"

	"github.com/ebbmem/ebb/benchmarks/peer"
	"github.com/ebbmem/ebb/benchmarks/words"
	"github.com/ebbmem/ebb/benchmarks/workload"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
)

func main() {
	var m memory
	flag.BoolVar(&m.vectors, "vectors", false, "give it an embedder")
	flag.BoolVar(&m.alone, "alone", false, "switch off what works behind the turn")
	flag.Parse()
	peer.Serve(&m)
}

type memory struct {
	vectors, alone bool

	x *extension.Extension
}

func (m *memory) Open(ctx context.Context, dir string) (err error) {
	cfg := &extension.Config{NoSchedule: true, NoBackground: m.alone, EmbedModel: "words"}
	if m.vectors {
		cfg.Embedder = words.Embedder{}
	}
	m.x, err = extension.Open(ctx, filepath.Join(dir, "memory.db"), cfg)
	return err
}

func (m *memory) Load(ctx context.Context, turns []workload.Turn) error {
	type line struct {
		ID      string    `json:"id"`
		Session string    `json:"session"`
		Time    time.Time `json:"time"`
		Speaker string    `json:"speaker"`
		Role    string    `json:"role"`
		Text    string    `json:"text"`
	}
	users := make(map[string]*bytes.Buffer)
	for _, t := range turns {
		b := users[t.User]
		if b == nil {
			b = new(bytes.Buffer)
			users[t.User] = b
		}
		if err := json.NewEncoder(b).Encode(line{t.ID, t.Session, t.Time, t.Speaker, t.Role, t.Text}); err != nil {
			return err
		}
	}
	for user, b := range users {
		options := extension.ImportOptions{Scope: extension.Scope{User: user}, Origin: eventbus.OriginUser, Format: extension.FormatTurns}
		if _, err := m.x.Import(ctx, b, options); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) Insert(ctx context.Context, t workload.Turn) error {
	scope := extension.Scope{User: t.User, Session: t.Session}
	options := []eventbus.MessageOption{eventbus.WithID(t.ID), eventbus.At(t.Time), eventbus.Speaker(t.Speaker)}
	e := eventbus.UserMessage(scope, t.Text, options...)
	if t.Role == "assistant" {
		e = eventbus.AgentResponse(scope, t.Text, options...)
	}
	return m.x.Bus().Publish(ctx, e)
}

func (m *memory) Settle(ctx context.Context) error { return m.x.WaitIdle(ctx) }

func (m *memory) Search(ctx context.Context, user, query string) (int, error) {
	answer, err := m.x.Recall(ctx, extension.Scope{User: user}, extension.Query{Text: query, Limit: 10})
	if err != nil {
		return 0, err
	}
	return len(answer.Results), nil
}

func (m *memory) Close(ctx context.Context) error { return m.x.Close(ctx) }
