// Ebb is ebb as a host uses it: Bus().Publish for a turn, Import for a
// history, Recall for a search.
package main

import (
	"bytes"
	"context"
	"flag"
	"path/filepath"
	"time"

	"github.com/ebbmem/ebb/benchmarks/peer"
	"github.com/ebbmem/ebb/benchmarks/words"
	"github.com/ebbmem/ebb/benchmarks/workload"
	"github.com/ebbmem/ebb/extension"
)

func main() {
	var o options
	flag.BoolVar(&o.vectors, "vectors", false, "give it an embedder")
	flag.BoolVar(&o.alone, "alone", false, "switch off what works behind the turn")
	flag.BoolVar(&o.nights, "nights", false, "give nights a model that answers at once")
	flag.DurationVar(&o.model, "model", 0, "have turns with a model server that takes so long")
	files := flag.Int("files", 0, "give each user a file of its own, so many of them open at most")
	flag.Parse()
	if *files > 0 {
		peer.Serve(&folder{options: o, maxOpen: *files})
		return
	}
	peer.Serve(&memory{options: o})
}

type options struct {
	vectors, alone, nights bool

	model time.Duration
}

func (o options) config() *extension.Config {
	cfg := &extension.Config{Night: extension.NightConfig{NoSchedule: true}, NoBackground: o.alone}
	if o.vectors {
		cfg.Embedding = extension.EmbeddingConfig{Embedder: words.Embedder{}, Model: "words"}
	}
	return cfg
}

type memory struct {
	options

	x     *extension.Extension
	night *quick
	talk  *talk

	written map[string]*bytes.Buffer
}

func (m *memory) Open(ctx context.Context, dir string) (err error) {
	cfg := m.config()
	if m.nights {
		m.night = new(quick)
		cfg.Model = m.night
	}
	if m.model > 0 && m.talk == nil {
		if m.talk, err = newTalk(m.model); err != nil {
			return err
		}
	}
	m.x, err = extension.Open(ctx, filepath.Join(dir, "memory.db"), cfg)
	return err
}

func (m *memory) Written(turns []workload.Turn) (err error) {
	m.written, err = byUser(turns)
	return err
}

func (m *memory) Load(ctx context.Context, _ []workload.Turn) error {
	for user, lines := range m.written {
		if err := load(ctx, m.x, extension.Scope{User: user}, lines); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) Insert(ctx context.Context, t workload.Turn) error {
	return m.x.Bus().Publish(ctx, message(extension.Scope{User: t.User, Session: t.Session}, t))
}

func (m *memory) Settle(ctx context.Context) error { return m.x.WaitIdle(ctx) }

func (m *memory) Search(ctx context.Context, user, query string) (peer.Found, error) {
	return search(ctx, m.x, extension.Scope{User: user}, query)
}

func (m *memory) Close(ctx context.Context) error { return m.x.Close(ctx) }
