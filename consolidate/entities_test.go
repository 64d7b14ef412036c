package consolidate_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/schema"
)

// called is an entity as a test writes it down: type, name, mentions, and its
// other names with their confidence.
type called struct {
	typ, name string
	mentions  int
	aliases   map[string]float64
	protected bool
}

func (c called) also(alias string, sure float64) called {
	c.aliases = map[string]float64{alias: sure}
	return c
}

func person(name string, mentions int) called {
	return called{typ: schema.EntityPerson, name: name, mentions: mentions}
}

// people stores entities, each mentioned by memories of its own.
func people(t *testing.T, db *schema.DB, list ...called) (entities []*schema.Entity) {
	t.Helper()
	for _, c := range list {
		var e *schema.Entity
		require.NoError(t, db.Write(context.Background(), func(ctx context.Context, tx *schema.Tx) error {
			userID, err := tx.UserID(ctx, ada)
			if err != nil {
				return err
			}
			if e, err = tx.CreateEntity(ctx, userID, c.typ, c.name, 0.95); err != nil {
				return err
			}
			for alias, sure := range c.aliases {
				if err := tx.AddAlias(ctx, e, alias, sure); err != nil {
					return err
				}
			}
			_, err = tx.Exec(ctx, "UPDATE entities SET protected = ? WHERE id = ?", c.protected, e.ID)
			return err
		}))
		for range c.mentions {
			mentioning(t, db, "Something about "+c.name, 0.9, e)
		}
		entities = append(entities, e)
	}
	return entities
}

// mentioning stores a memory that mentions these entities.
func mentioning(t *testing.T, db *schema.DB, content string, sure float64, entities ...*schema.Entity) *schema.Memory {
	t.Helper()
	m := remember(t, db, ada, schema.Memory{Content: content, Confidence: 1, Role: "user", Importance: 0.5})
	require.NoError(t, db.Write(context.Background(), func(ctx context.Context, tx *schema.Tx) error {
		for _, e := range entities {
			if err := tx.LinkEntity(ctx, m.ID, e.ID, e.Name, sure); err != nil {
				return err
			}
		}
		return nil
	}))
	return m
}

// mergedIn lists the merged entities with their targets, and the pairs that wait for
// the host.
func mergedIn(t *testing.T, db *schema.DB) (merged, waiting []string) {
	t.Helper()
	require.NoError(t, db.Read(context.Background(), func(ctx context.Context, s *schema.Snapshot) error {
		if err := s.NewRaw("SELECT e.name || ' > ' || i.name || ' ' || i.mention_count FROM entities e JOIN entities i ON i.id = e.merged_into ORDER BY e.id").Scan(ctx, &merged); err != nil {
			return err
		}
		return s.NewRaw(`SELECT f.name || ' > ' || i.name FROM proposals p JOIN entities f ON f.uid = json_extract(p.payload, '$.from')
			JOIN entities i ON i.uid = json_extract(p.payload, '$.into') WHERE p.kind = 'merge_entities' ORDER BY p.id`).Scan(ctx, &waiting)
	}))
	return merged, waiting
}

func TestMergeEntities(t *testing.T) {
	place := func(name string) called { return called{typ: schema.EntityPlace, name: name} }
	named := func(name string) called { return called{typ: schema.EntityName, name: name} }
	email := func(address string) called { return called{typ: schema.EntityEmail, name: address} }
	for name, c := range map[string]struct {
		list            []called
		merged, waiting string
	}{
		"one full name":                   {list: []called{person("Zoë Müller", 1), person("zoe muller", 3)}, merged: "Zoë Müller > zoe muller 4"},
		"a name that is known no further": {list: []called{named("Karim Haddad"), person("Karim Haddad", 2)}, merged: "Karim Haddad > Karim Haddad 2"},
		"three of one name":               {list: []called{person("Karim Haddad", 1), person("Karim Haddad", 3), person("Karim Haddad", 1)}, merged: "Karim Haddad > Karim Haddad 5, Karim Haddad > Karim Haddad 5"},
		"two towns of one name":           {list: []called{place("Bergen"), place("Bergen")}, merged: "Bergen > Bergen 0"},
		"two Toms may be two":             {list: []called{person("Tom", 1), person("Tom", 2)}, waiting: "Tom > Tom"},
		"a person and a place":            {list: []called{person("Georgia Lund", 1), place("Georgia Lund")}},
		"an address of somebody":          {list: []called{email("kh@haddad.example"), person("Karim Haddad", 0).also("kh@haddad.example", 1)}, merged: "kh@haddad.example > Karim Haddad 0"},
		"an address of one in two forms":  {list: []called{person("Vitya Orlov", 0).also("@orlov", 0.75), person("Viktor Orlov", 1).also("@orlov", 1)}, merged: "Vitya Orlov > Viktor Orlov 1"},
		"an address of two":               {list: []called{person("Karim Haddad", 1).also("us@haddad.example", 1), person("Salma Haddad", 2).also("us@haddad.example", 1)}, waiting: "Karim Haddad > Salma Haddad"},
		"an address guessed at":           {list: []called{person("Karim Haddad", 1).also("@haddad", 0.5), person("Salma Haddad", 2).also("@haddad", 1)}, waiting: "Karim Haddad > Salma Haddad"},
		"a nickname":                      {list: []called{person("Vitya Orlov", 1), person("Viktor Orlov", 3)}, waiting: "Vitya Orlov > Viktor Orlov"},
		"an initial":                      {list: []called{person("J. Okafor", 5), person("Jane Okafor", 3)}, waiting: "Jane Okafor > J. Okafor"},
		"a middle name":                   {list: []called{person("Anna Maria Lund", 1), person("Anna Lund", 3)}, waiting: "Anna Maria Lund > Anna Lund"},
		"a family":                        {list: []called{person("Anna Lund", 1).also("Lund", 0.65), person("Bo Lund", 3).also("Lund", 0.65)}},
		"namesakes":                       {list: []called{person("Viktor Orlov", 1), person("Vitya Petrov", 1)}},
		"another script":                  {list: []called{named("Тайдлайн"), called{typ: "project", name: "Tideline"}.also("Тайдлайн", 0.65)}, waiting: "Tideline > Тайдлайн"},
		"a given name only one bears":     {list: []called{person("Karim", 9), person("Karim Haddad", 1)}, waiting: "Karim > Karim Haddad"},
		"a given name two bear":           {list: []called{person("Karim", 9), person("Karim Haddad", 1), person("Karim Lund", 1)}},
		"a surname":                       {list: []called{person("Dr. Hansen", 9), person("Ingrid Hansen", 1)}},
		"protected":                       {list: []called{{typ: schema.EntityPerson, name: "Karim Haddad", protected: true}, person("Karim Haddad", 1), person("Karim", 1)}},
		"what follows from a merge":       {list: []called{person("Karim Haddad", 2), person("Karim Haddad", 3), person("Karim", 1)}, merged: "Karim Haddad > Karim Haddad 5", waiting: "Karim > Karim Haddad"},
	} {
		t.Run(name, func(t *testing.T) {
			db, _ := aged(t)
			people(t, db, c.list...)
			before := dumpAll(t, db)
			r := runner(t, db, stages(consolidate.Entities{}))
			report, err := r.Run(t.Context(), ada, consolidate.CauseManual)
			require.NoError(t, err)
			merged, waiting := mergedIn(t, db)
			require.Equal(t, c.merged, strings.Join(merged, ", "))
			require.Equal(t, c.waiting, strings.Join(waiting, ", "))

			after := dumpAll(t, db)
			again, err := r.Run(t.Context(), ada, consolidate.CauseManual)
			require.NoError(t, err)
			require.Empty(t, again.Stages[0].Outcomes, "a second run has nothing to say")
			require.Equal(t, after, dumpAll(t, db))

			undone, err := r.Rollback(t.Context(), ada, report.RunID)
			require.NoError(t, err)
			require.Empty(t, undone.Kept)
			require.Equal(t, before, dumpAll(t, db))
		})
	}
}

func TestUndoneMergeIsProposed(t *testing.T) {
	db, _ := aged(t)
	people(t, db, person("Karim Haddad", 1), person("Karim Haddad", 2))
	r := runner(t, db, stages(consolidate.Entities{}))
	report, err := r.Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.Equal(t, []string{"merge_entities applied they have the same name"}, statuses(report, "entities"))
	_, err = r.Rollback(t.Context(), ada, report.RunID)
	require.NoError(t, err)
	report, err = r.Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.Equal(t, []string{"merge_entities waiting they have the same name"}, statuses(report, "entities"))
	merged, waiting := mergedIn(t, db)
	require.Empty(t, merged)
	require.Len(t, waiting, 1)
}

func TestNamesInOneTextAreDistinct(t *testing.T) {
	db, _ := aged(t)
	same := people(t, db, person("Karim Haddad", 1), person("Karim Haddad", 2), person("Vitya Orlov", 1), person("Viktor Orlov", 1))
	mentioning(t, db, "Karim Haddad met the other Karim Haddad.", 0.9, same[:2]...)
	mentioning(t, db, "Vitya Orlov is the son of Viktor Orlov.", 0.9, same[2:]...)
	_, err := runner(t, db, stages(consolidate.Entities{})).Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	merged, waiting := mergedIn(t, db)
	require.Empty(t, merged)
	require.Equal(t, []string{"Karim Haddad > Karim Haddad"}, waiting)
}

// The proposals of every stage are validated, including those of a host's own stage.
func TestMergesAreRevalidated(t *testing.T) {
	db, _ := aged(t)
	e := people(t, db, person("Karim Haddad", 1), person("Salma Lund", 2), called{typ: schema.EntityPerson, name: "Karim Haddad", protected: true})
	careless := stage{"careless", func(context.Context, *consolidate.Input) ([]consolidate.Proposal, error) {
		return []consolidate.Proposal{
			consolidate.MergeEntities{From: e[0].UID, Into: e[1].UID, Why: "I feel so"},
			consolidate.MergeEntities{From: e[1].UID, Into: e[0].UID, Why: "I feel so"},
			consolidate.MergeEntities{From: e[0].UID, Into: e[2].UID},
			consolidate.MergeEntities{From: e[2].UID, Into: e[0].UID},
			consolidate.MergeEntities{From: e[0].UID, Into: "nobody"},
		}, nil
	}}
	report, err := runner(t, db, stages(careless)).Run(t.Context(), ada, consolidate.CauseManual)
	require.NoError(t, err)
	require.Equal(t, []string{
		"merge_entities waiting I feel so", "merge_entities known it was left to the host before",
		"merge_entities rejected entity is protected", "merge_entities rejected entity is protected", "merge_entities rejected not found",
	}, statuses(report, "careless"))
}
