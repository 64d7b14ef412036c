package extension

import (
	"context"
	"errors"
	"fmt"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/schema"
)

// Repaired is one thing that a repair changed.
type Repaired = schema.Repaired

// RepairReport says what a repair did.
type RepairReport struct {
	Path string `json:"path"`
	// Copy is the file as it was before, with its log under that name and
	// "-wal". Empty when there was nothing to repair.
	Copy string `json:"copy,omitempty"`
	// Changed is what was changed, in order; empty when nothing was.
	Changed []Repaired `json:"changed"`
	// After is the diagnosis of the file as it is now.
	After *Diagnosis `json:"after"`
}

// Repair mends what can be mended in a damaged memory file without guessing:
// indexes, the text index and the text in it from the memories, lost journal
// entries from the episodes and lost episodes from the journal, references to
// what is gone, states that contradict each other, vectors of no use, counts,
// and positions past the end. Each kind is one transaction. Before the first
// change it copies the file; what is healthy is neither copied nor changed.
//
// It does not read what cannot be read: for pages that are lost there is
// [Salvage].
//
// Errors: those of [Diagnose]; [ErrBusy] while another program has the file
// open (told on Linux only), [ErrDiskFull] without room for the copy,
// [ErrNotDatabase], [*VersionError] and [ErrKey] for what is no memory of this
// ebb, and [ErrCorrupt], beside the report, when damage is left.
func Repair(ctx context.Context, path string, key Key) (*RepairReport, error) {
	before, err := DiagnoseWithKey(ctx, path, key)
	if err != nil {
		return nil, err
	}
	report := &RepairReport{Path: before.Path, Changed: []Repaired{}, After: before}
	if !before.repairable() {
		return report, before.left()
	}
	options := &schema.Options{Key: key}
	if report.Copy, err = schema.CopyAside(ctx, before.Path, ".before-repair"); err != nil {
		return nil, err
	}
	if err := schema.RepairUnopened(ctx, before.Path, options); err != nil {
		return report, fmt.Errorf("repair %s: %w", before.Path, err)
	}
	if err := report.mend(ctx, key); err != nil {
		return report, fmt.Errorf("repair %s: %w", before.Path, err)
	}
	if report.After, err = DiagnoseWithKey(ctx, before.Path, key); err != nil {
		return report, err
	}
	return report, report.After.left()
}

// repairable reports whether anything was found that is not as it should be.
func (d *Diagnosis) repairable() bool {
	for _, c := range d.Checks {
		if c.repairable {
			return true
		}
	}
	return false
}

// left is what stays damaged, as an error.
func (d *Diagnosis) left() error {
	switch {
	case d.Healthy:
		return nil
	case d.refusal != nil && !errors.Is(d.refusal, ErrCorrupt):
		return d.refusal
	}
	return fmt.Errorf("%w: %s", ErrCorrupt, "what is left cannot be mended in place; salvage what is readable, or restore a backup")
}

// mend runs every step on the opened memory.
func (r *RepairReport) mend(ctx context.Context, key Key) (err error) {
	x, err := Open(ctx, r.Path, &Config{NoBackground: true, Key: key})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(context.WithoutCancel(ctx))) }()
	return x.mend(ctx, func(did Repaired) { r.Changed = append(r.Changed, did) })
}

func (x *Extension) mend(ctx context.Context, told func(Repaired)) error {
	steps := []schema.RepairStep{schema.RepairIndexes(), schema.RepairUsers(), {Name: "journal", Run: x.repairJournal}}
	steps = append(steps, schema.RepairRows()...)
	steps = append(steps, schema.RepairStep{Name: "texts", Run: repairTexts}, schema.RepairStep{Name: "messages", Run: x.repairMessages})
	steps = append(steps, schema.RepairText()...)
	relink := false
	for _, step := range steps {
		changed, err := x.mendOne(ctx, step, told)
		if err != nil {
			return fmt.Errorf("%s: %w", step.Name, err)
		}
		relink = relink || changed && (step.Name == "references" || step.Name == "entities")
	}
	if !relink {
		return nil
	}
	return x.relink(ctx, told)
}

// mendOne runs a step until it finds nothing more: some work in batches.
func (x *Extension) mendOne(ctx context.Context, step schema.RepairStep, told func(Repaired)) (bool, error) {
	did := Repaired{Name: step.Name}
	for {
		var changed int64
		var detail string
		err := x.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) (err error) {
			changed, detail, err = step.Run(ctx, tx)
			return err
		})
		if err != nil {
			return false, err
		}
		if changed == 0 {
			break
		}
		did.Changed += changed
		did.Detail = detail
		if step.Name != "text of memories" && step.Name != "messages" {
			break
		}
	}
	if did.Changed == 0 {
		return false, nil
	}
	told(did)
	return true, nil
}

// relink looks for mentions in the episodes that have none.
func (x *Extension) relink(ctx context.Context, told func(Repaired)) error {
	users, err := x.Users(ctx)
	if err != nil {
		return err
	}
	enricher := consolidate.NewEnricher(x.db, consolidate.EnrichOptions{})
	linked := int64(0)
	for _, u := range users {
		var uids []string
		err := x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
			userID, err := s.UserID(ctx, Scope{Tenant: u.Tenant, User: u.Name})
			if err != nil {
				return err
			}
			return s.NewRaw("SELECT uid FROM memories WHERE user_id = ? AND kind = 'episode' AND id NOT IN (SELECT memory_id FROM memory_entities) ORDER BY id", userID).Scan(ctx, &uids)
		})
		if err != nil {
			return err
		}
		for _, uid := range uids {
			if err := enricher.Enrich(ctx, Scope{Tenant: u.Tenant, User: u.Name}, uid); err != nil {
				return err
			}
		}
		err = x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
			var n int64
			for _, uid := range uids {
				if err := s.Row(ctx, "SELECT EXISTS (SELECT 1 FROM memory_entities WHERE memory_id = (SELECT id FROM memories WHERE uid = ?))", []any{uid}, &n); err != nil {
					return err
				}
				linked += n
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if linked > 0 {
		told(Repaired{Name: "entity links", Changed: linked, Detail: "messages looked through again for whom they mention"})
	}
	return nil
}
