package doctor

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/schema"
)

// What could not be read is neither well nor, unless something in it is wrong, to be restored.
func TestCallsThatFailForAnotherReason(t *testing.T) {
	for name, c := range map[string]struct {
		errs   []error
		states []State
		fix    string // of the last
	}{
		"nothing":         {nil, []State{OK}, ""},
		"an erasure":      {[]error{transfer.ErrErasing}, []State{OK}, ""},
		"busy":            {[]error{schema.ErrBusy, nil, schema.ErrIO}, []State{Skipped}, "again"},
		"locked":          {[]error{sqlite3.LOCKED}, []State{Skipped}, "again"},
		"not allowed":     {[]error{fmt.Errorf("open: %w", sqlite3.CANTOPEN)}, []State{Skipped}, "as a user"},
		"the disk":        {[]error{nil, schema.ErrIO}, []State{Damaged}, "another disk"},
		"a row":           {[]error{errors.New("row 7"), errors.New("row 7")}, []State{Damaged}, "restore"},
		"a row, and busy": {[]error{schema.ErrBusy, errors.New("row 7")}, []State{Damaged, Skipped}, "again"},
	} {
		t.Run(name, func(t *testing.T) {
			e, f := &examination{path: "memory.db"}, calls{broken: make(map[string]int)}
			for _, err := range c.errs {
				f.note("runs", func() error { return err })
			}
			f.report(e, "reading")
			require.Len(t, e.Checks, len(c.states))
			for i, state := range c.states {
				require.Equal(t, state, e.Checks[i].State)
			}
			last := e.Checks[len(e.Checks)-1]
			require.Contains(t, last.Fix, c.fix)
			require.Equal(t, last.State == OK, last.Fix == "")
		})
	}
}
