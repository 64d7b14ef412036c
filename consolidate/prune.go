package consolidate

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/ebbmem/ebb/schema"
)

// Prune is the stage that takes faded derived memories out of search: those
// whose confidence times retention is below [FadedBelow]. What the user stated
// (trust 4) becomes dormant, the rest is retired. Episodes, protected and
// pinned memories, those of a protected entity and those about which a question
// waits for a person stay; so do, under the default retention, standing claims
// that rest on a sentence of the user's ([recall.DefaultRetention]).
//
// A day takes at most the input's RetirementCap of the derived memories,
// weakest first, however often it runs: a fifth run finds the cap used up by
// the first. The share is rounded down, but a day may always take one, or a
// small memory would keep what it has long forgotten.
//
// Counts: faded, and beyond_cap, what the cap left for another night.
type Prune struct{}

// Name implements [Stage].
func (Prune) Name() string { return "prune" }

// Propose implements [Stage].
func (Prune) Propose(ctx context.Context, in *Input, apply Apply) error {
	derived, err := activeDerived(ctx, in)
	if err != nil {
		return err
	}
	var guarded map[int64]bool
	var left int
	err = in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		if guarded, err = guardedMemories(ctx, s, in); err != nil {
			return err
		}
		left, err = allowance(ctx, s, in)
		return err
	})
	if err != nil {
		return err
	}
	faded := slices.DeleteFunc(derived, func(m schema.Memory) bool {
		return m.Protected || m.Pinned || guarded[m.ID] || !(in.strength(&m) < FadedBelow)
	})
	slices.SortFunc(faded, func(a, b schema.Memory) int {
		return cmp.Or(cmp.Compare(in.strength(&a), in.strength(&b)), cmp.Compare(a.ID, b.ID))
	})
	in.Count("faded", len(faded))
	in.Count("beyond_cap", max(0, len(faded)-left))
	proposals := make([]Proposal, 0, min(left, len(faded)))
	for _, m := range faded[:min(left, len(faded))] {
		if m.Trust >= schema.MaxTrust {
			proposals = append(proposals, MakeDormant{UID: m.UID, Version: m.Version})
		} else {
			proposals = append(proposals, Retire{UID: m.UID, Version: m.Version})
		}
	}
	_, err = apply(ctx, proposals...)
	return err
}

// strength is confidence times retention, 0–1.
func (in *Input) strength(m *schema.Memory) float64 {
	return m.Confidence * in.Retention.Of(m, in.Now)
}

// retirementDay is how long what was pruned counts against the cap. It is
// below 23 hours, the shortest night to night, so that each night has its own.
const retirementDay = 20 * time.Hour

// allowance is how many memories may still be pruned today.
func allowance(ctx context.Context, db bun.IDB, in *Input) (int, error) {
	var active, pruned int
	err := db.NewRaw(`SELECT
		(SELECT count(*) FROM memories WHERE user_id = ? AND kind <> 'episode' AND state = 'active'),
		(SELECT count(DISTINCT o.record_id) FROM ops o JOIN memories m ON m.id = o.record_id
			WHERE o.user_id = ? AND o.run_id IS NOT NULL AND o.actor = ? AND o.record = 'memories'
			AND o.operation IN ('retire', 'state') AND o.at > ? AND m.state IN ('retired', 'dormant') AND m.kind <> 'episode')`,
		in.UserID, in.UserID, nightActor, in.Now.Add(-retirementDay).UnixMilli()).Scan(ctx, &active, &pruned)
	if err != nil {
		return 0, err
	}
	return allowed(active, pruned, in.RetirementCap), nil
}

// allowed is the cap's share of what was there before today's pruning, at
// least one unless the share is 0, less what it already took.
func allowed(active, pruned int, share float64) int {
	if share <= 0 {
		return 0
	}
	return max(0, max(1, int(math.Floor(share*float64(active+pruned)+1e-9)))-pruned)
}

const ofProtected = `SELECT me.memory_id FROM memory_entities me
	JOIN entities named ON named.id = me.entity_id
	JOIN entities e ON e.id = coalesce(named.merged_into, named.id)
	WHERE (e.protected OR named.protected)`

// ofSentence are the standing claims that rest on a sentence of the user's,
// whoever worded the claim.
const ofSentence = `SELECT m.id FROM memories m JOIN memory_sources ms ON ms.memory_id = m.id JOIN memories s ON s.id = ms.source_id
	WHERE m.kind <> 'episode' AND m.kind IN ('fact', 'preference') AND coalesce(json_extract(m.attributes, '$.temporal'), '') NOT IN ('event', 'plan')
	AND s.kind = 'episode' AND s.origin = 'user_direct' AND s.trust = 4 AND ms.quote <> ''`

// guards is the query for the memories that stay whatever their strength, of a
// user or only the one of an id. Of the default retention they include the
// claims that rest on the user's sentences.
func (in *Input) guards(one bool) string {
	entities, sentences := "named.user_id", "m.user_id"
	if one {
		entities, sentences = "me.memory_id", "m.id"
	}
	query := ofProtected + " AND " + entities + " = ?1"
	if in.Retention == nil {
		query += " UNION ALL " + ofSentence + " AND " + sentences + " = ?1"
	}
	return query
}

// guardedMemories are a user's memories that no stage puts away.
func guardedMemories(ctx context.Context, s *schema.Snapshot, in *Input) (map[int64]bool, error) {
	waiting, err := s.WaitingMemories(ctx, in.UserID)
	if err != nil {
		return nil, err
	}
	guarded := make(map[int64]bool)
	for _, id := range waiting {
		guarded[id] = true
	}
	rows, err := s.Query(ctx, in.guards(false), in.UserID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		guarded[id] = true
	}
	return guarded, rows.Err()
}

// ofGuarded says for one memory what guardedMemories says for all.
func ofGuarded(ctx context.Context, tx *schema.Tx, in *Input, memoryID int64) (guarded bool, err error) {
	err = tx.Row(ctx, "SELECT EXISTS ("+in.guards(true)+")", []any{memoryID}, &guarded)
	return guarded, err
}
