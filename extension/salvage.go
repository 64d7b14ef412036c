package extension

import (
	"context"

	"github.com/ebbmem/ebb/schema"
)

// Salvaged says what of one table could be read from a damaged file.
type Salvaged = schema.Salvaged

// SalvageReport says what of a damaged memory is in the new file. It never
// says that this is everything: what cannot be read cannot be counted.
type SalvageReport struct {
	Path   string     `json:"path"` // of the new file
	Tables []Salvaged `json:"tables"`
	// Mended is what was made anew or cleared, so that the new file is sound.
	Mended []Repaired `json:"mended"`
	// Memories and Messages are how many the new file holds.
	Memories int64 `json:"memories"`
	Messages int64 `json:"messages"`
}

// Salvage reads what can be read of a badly damaged memory into a new file:
// table by table, around what cannot be read; then it mends the new file as
// [Repair] does, so that messages come back from the journal and journal
// entries from messages. The damaged file is not touched.
//
// Errors: [ErrNotFound] and [ErrNotDatabase] for path, [*InvalidError] when
// there is a file at target, [ErrBusy] while another program has the damaged
// file open (told on Linux only), [ErrDiskFull], [ErrCorrupt] when nothing can
// be read at all.
func Salvage(ctx context.Context, path, target string, key Key) (*SalvageReport, error) {
	report := &SalvageReport{Path: target, Mended: []Repaired{}}
	var err error
	report.Tables, err = schema.Salvage(ctx, path, target, &schema.Options{Key: key}, func(made string) error {
		return report.finish(ctx, made, key)
	})
	if err != nil {
		return nil, err
	}
	return report, nil
}

func (r *SalvageReport) finish(ctx context.Context, path string, key Key) (err error) {
	x, err := Open(ctx, path, &Config{NoBackground: true, Key: key})
	if err != nil {
		return err
	}
	err = x.mend(ctx, func(did Repaired) { r.Mended = append(r.Mended, did) })
	if err == nil {
		err = x.relink(ctx, func(did Repaired) { r.Mended = append(r.Mended, did) })
	}
	if err == nil {
		err = x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
			return s.Row(ctx, "SELECT (SELECT count(*) FROM memories), (SELECT count(*) FROM events WHERE topic IN ('user.message', 'agent.response', 'tool.result'))",
				nil, &r.Memories, &r.Messages)
		})
	}
	if closing := x.Close(context.WithoutCancel(ctx)); err == nil {
		err = closing
	}
	return err
}
