package consolidate_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/internal/llmtest"
	"github.com/ebbmem/ebb/schema"
)

// A night compares what is said about a project with what is said about the same one, and asks a
// model about no other pair.
func TestNightComparesWithinAProject(t *testing.T) {
	for name, c := range map[string]struct {
		earlier, later string
		compared       bool
	}{
		"one project":                {"alpha", "alpha", true},
		"two projects":               {"alpha", "beta", false},
		"a project, then everywhere": {"alpha", "", false},
		"everywhere, then a project": {"", "alpha", false},
		"everywhere":                 {"", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			db, _ := aged(t)
			of := func(project string) func(*schema.Memory) {
				return func(m *schema.Memory) {
					if project != "" {
						m.Attributes = schema.Attributes{schema.AttrProject: project}
					}
				}
			}
			run := drawn(t, db)
			old := claim(t, db, "Rosa calls the staging server kestrel.", "the staging server", "is_called", "kestrel", day(1, 1), run, of(c.earlier))
			claim(t, db, "Rosa calls the staging server osprey.", "the staging server", "is_called", "osprey", day(1, 3), run, of(c.later))
			require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
				_, err := tx.CreateEntity(ctx, old.UserID, schema.EntityPerson, "Rosa", 1)
				return err
			}))
			linkAll(t, db, "Rosa")
			s := llmtest.New(t)
			if c.compared {
				s.On(llmtest.Any, verdicts("update"))
			}
			report, err := runner(t, db, conflictOnly, withModel(t, s)).Run(t.Context(), ada, consolidate.CauseManual)
			require.NoError(t, err)
			state := schema.StateActive
			if c.compared {
				state = schema.StateSuperseded
				require.Equal(t, []string{"supersede applied"}, statuses(report, "conflict"))
			}
			require.Equal(t, state, reread(t, db, old).State)
			require.Equal(t, c.compared, report.Usage.Calls == 1, "%d calls", report.Usage.Calls)
		})
	}
}
