package main

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/ebbmem/ebb/benchmarks/peer"
	"github.com/ebbmem/ebb/benchmarks/workload"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/transfer"
)

// message is a turn as a host publishes it.
func message(scope extension.Scope, t workload.Turn) eventbus.Event {
	options := []eventbus.MessageOption{eventbus.WithID(t.ID), eventbus.At(t.Time), eventbus.Speaker(t.Speaker)}
	if t.Role == "assistant" {
		return eventbus.AgentResponse(scope, t.Text, options...)
	}
	return eventbus.UserMessage(scope, t.Text, options...)
}

// byUser writes turns as ebb imports them, a stream for each user.
func byUser(turns []workload.Turn) (map[string]*bytes.Buffer, error) {
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
			return nil, err
		}
	}
	return users, nil
}

func load(ctx context.Context, x *extension.Extension, scope extension.Scope, lines *bytes.Buffer) error {
	options := transfer.ImportOptions{Scope: scope, Origin: eventbus.OriginUser, Format: transfer.FormatTurns}
	_, err := x.Import(ctx, lines, options)
	return err
}

func search(ctx context.Context, x *extension.Extension, scope extension.Scope, query string) (peer.Found, error) {
	answer, err := x.Recall(ctx, scope, extension.Query{Text: query, Limit: 10})
	if err != nil {
		return peer.Found{}, err
	}
	return peer.Found{Results: len(answer.Results), Degraded: len(answer.Degraded) > 0}, nil
}
