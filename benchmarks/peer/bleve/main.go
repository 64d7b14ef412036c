// Bleve is the full-text index in Go, on disk, one for all users: the choice for
// word search without SQLite.
package main

import (
	"context"
	"path/filepath"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"

	"github.com/ebbmem/ebb/benchmarks/peer"
	"github.com/ebbmem/ebb/benchmarks/workload"
)

func main() { peer.Serve(&memory{}) }

type memory struct{ index bleve.Index }

// document is a turn as it is stored: the text is analysed as English, which
// leaves stop-words out and stems the others, as ebb's index does.
type document struct {
	User, Session, Speaker, Role, Text string
}

func of(t workload.Turn) document {
	return document{User: t.User, Session: t.Session, Speaker: t.Speaker, Role: t.Role, Text: t.Text}
}

func (m *memory) Open(_ context.Context, dir string) (err error) {
	path := filepath.Join(dir, "bleve")
	if m.index, err = bleve.Open(path); err != bleve.ErrorIndexPathDoesNotExist {
		return err
	}
	turns := bleve.NewDocumentStaticMapping()
	exact := bleve.NewTextFieldMapping()
	exact.Analyzer = keyword.Name
	for _, name := range []string{"User", "Session", "Speaker", "Role"} {
		turns.AddFieldMappingsAt(name, exact)
	}
	text := bleve.NewTextFieldMapping()
	text.Analyzer = en.AnalyzerName
	turns.AddFieldMappingsAt("Text", text)
	mapping := bleve.NewIndexMapping()
	mapping.DefaultMapping = turns
	m.index, err = bleve.New(path, mapping)
	return err
}

func (m *memory) Load(_ context.Context, turns []workload.Turn) error {
	const most = 1000 // in a batch
	batch := m.index.NewBatch()
	for i, t := range turns {
		if err := batch.Index(t.ID, of(t)); err != nil {
			return err
		}
		if batch.Size() == most || i == len(turns)-1 {
			if err := m.index.Batch(batch); err != nil {
				return err
			}
			batch.Reset()
		}
	}
	return nil
}

func (m *memory) Insert(_ context.Context, t workload.Turn) error { return m.index.Index(t.ID, of(t)) }

func (m *memory) Search(ctx context.Context, user, query string) (peer.Found, error) {
	theirs := bleve.NewTermQuery(user)
	theirs.SetField("User")
	theirs.SetBoost(0)
	words := bleve.NewMatchQuery(query)
	words.SetField("Text")
	found, err := m.index.SearchInContext(ctx, bleve.NewSearchRequestOptions(bleve.NewConjunctionQuery(theirs, words), 10, 0, false))
	if err != nil {
		return peer.Found{}, err
	}
	return peer.Found{Results: len(found.Hits)}, nil
}

func (m *memory) Close(context.Context) error { return m.index.Close() }
