package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/sqlite"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/check"
)

// RepairReport is the result of a repair.
type RepairReport struct {
	Path string `json:"path"`
	// Copy is the name of a copy of the unchanged file; its log has "-wal"
	// appended. Empty if there was nothing to repair.
	Copy string `json:"copy,omitempty"`
	// Changed lists the changes in order. Empty if there were none.
	Changed []check.Repaired `json:"changed"`
	// After is the diagnosis of the repaired file.
	After *Diagnosis `json:"after"`
}

// Repair rebuilds everything in a damaged memory file that is derived from other
// rows: SQLite's indexes, the text index and its text, counts of mentions. It
// removes vectors that cannot be compared, which background work replaces. Each
// step is one transaction or more. Before the first change it copies the file; a
// healthy file is neither copied nor changed.
//
// Rows that are lost or contradict each other are not repaired; restore a backup
// for those ([extension.Restore]).
//
// Errors: those of [Diagnose]; [schema.ErrBusy] while another program has the file
// open (detected on Linux only), [schema.ErrDiskFull] without room for the copy,
// [schema.ErrNotDatabase], [*schema.VersionError] and [schema.ErrKey] for a file
// that this version cannot open, and [schema.ErrCorrupt], with the report, if
// damage is left.
func Repair(ctx context.Context, path string, key schema.Key) (*RepairReport, error) {
	before, err := Diagnose(ctx, path, key)
	if err != nil {
		return nil, err
	}
	report := &RepairReport{Path: before.Path, Changed: []check.Repaired{}, After: before}
	if !before.repairable() {
		return report, before.left()
	}
	options := &schema.Options{Key: key}
	if report.Copy, err = sqlite.CopyAside(ctx, before.Path, ".before-repair"); err != nil {
		return nil, err
	}
	if err := schema.RepairUnopened(ctx, before.Path, options); err != nil {
		return report, fmt.Errorf("repair %s: %w", before.Path, err)
	}
	if err := report.repair(ctx, key); err != nil {
		return report, fmt.Errorf("repair %s: %w", before.Path, err)
	}
	if report.After, err = Diagnose(ctx, before.Path, key); err != nil {
		return report, err
	}
	return report, report.After.left()
}

// repairable reports whether a check found something that Repair may fix.
func (d *Diagnosis) repairable() bool {
	return slices.ContainsFunc(d.Checks, func(c Check) bool { return c.repairable })
}

// left returns the remaining damage as an error.
func (d *Diagnosis) left() error {
	switch {
	case d.Healthy:
		return nil
	case d.refusal != nil && !errors.Is(d.refusal, schema.ErrCorrupt):
		return d.refusal
	}
	return fmt.Errorf("%w: %s", schema.ErrCorrupt, "what is left cannot be rebuilt; restore a backup")
}

// repair runs every repair step on the opened memory.
func (r *RepairReport) repair(ctx context.Context, key schema.Key) (err error) {
	x, err := extension.Open(ctx, r.Path, &extension.Config{NoBackground: true, Key: key})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(context.WithoutCancel(ctx))) }()
	for _, step := range check.RepairSteps() {
		did := check.Repaired{Name: step.Name}
		for more := true; more; { // some steps repair one user at a time
			var changed int64
			err := x.Parts().DB.Write(ctx, func(ctx context.Context, tx *schema.Tx) (err error) {
				changed, did.Detail, err = step.Run(ctx, tx)
				return err
			})
			if err != nil {
				return fmt.Errorf("%s: %w", step.Name, err)
			}
			did.Changed += changed
			more = changed > 0 && step.Repeat
		}
		if did.Changed > 0 {
			r.Changed = append(r.Changed, did)
		}
	}
	return nil
}
