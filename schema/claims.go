package schema

import (
	"context"
)

// ClaimsVersion identifies a state of one user's claims. Adding, changing or erasing a
// claim, in any process, increases it.
type ClaimsVersion struct {
	op, claim, erasure int64 // the last of each, 0 for none
}

// Before reports whether a user's claims may have changed between v and other, a later
// version from the same file.
func (v ClaimsVersion) Before(other ClaimsVersion) bool {
	if other.op < v.op || other.erasure < v.erasure {
		return false
	}
	return v != other
}

const claimsVersion = `SELECT
	coalesce((SELECT max(id) FROM ops WHERE user_id = ?1), 0),
	coalesce((SELECT max(id) FROM memories WHERE user_id = ?1 AND kind <> 'episode'), 0),
	coalesce((SELECT max(id) FROM erasures WHERE user_id = ?1), 0)`

// ClaimsVersion returns the current version of a user's claims. It costs three index
// lookups.
func (s *Snapshot) ClaimsVersion(ctx context.Context, userID int64) (v ClaimsVersion, err error) {
	err = s.Row(ctx, claimsVersion, []any{userID}, &v.op, &v.claim, &v.erasure)
	return v, err
}

// ChangedClaims returns the memories that were changed or added since a version, with
// their sources, predecessors and successors. all means that the changes cannot be listed and any
// claim may have changed.
func (s *Snapshot) ChangedClaims(ctx context.Context, userID int64, since ClaimsVersion) (ids []int64, all bool, err error) {
	var others, erasures int64
	err = s.Row(ctx, `SELECT (SELECT count(*) FROM ops WHERE user_id = ?1 AND id > ?2 AND record NOT IN ('memories', 'blocks', 'runs', 'proposals', 'gaps')),
		(SELECT count(*) FROM erasures WHERE user_id = ?1 AND id > ?3)`, []any{userID, since.op, since.erasure}, &others, &erasures)
	if err != nil || others+erasures > 0 {
		return nil, true, err
	}
	ids, err = Column[int64](ctx, s.Query, `WITH RECURSIVE changed (id) AS (
			SELECT record_id FROM ops WHERE user_id = ?1 AND id > ?2 AND record = 'memories'
			UNION SELECT id FROM memories WHERE user_id = ?1 AND kind <> 'episode' AND id > ?3
			UNION SELECT m.id FROM changed CROSS JOIN memories m ON m.superseded_by = changed.id AND m.superseded_by IS NOT NULL)
		SELECT id FROM changed
		UNION SELECT source_id FROM changed JOIN memory_sources ON memory_id = changed.id
		UNION SELECT superseded_by FROM changed JOIN memories m ON m.id = changed.id WHERE superseded_by IS NOT NULL`,
		userID, since.op, since.claim)
	return ids, false, err
}

// CurrentClaims returns the row ids of the user's facts and preferences that are active
// or dormant and have not ended.
func (s *Snapshot) CurrentClaims(ctx context.Context, userID int64) ([]int64, error) {
	return Column[int64](ctx, s.Query, `SELECT id FROM memories WHERE user_id = ? AND kind <> 'episode' AND kind IN ('fact', 'preference')
		AND state IN ('active', 'dormant') AND valid_until IS NULL ORDER BY id`, userID)
}

// HasSuperseded reports whether any of a user's claims was superseded.
func (s *Snapshot) HasSuperseded(ctx context.Context, userID int64) (some bool, err error) {
	err = s.Row(ctx, `SELECT EXISTS (SELECT 1 FROM memories WHERE user_id = ? AND kind <> 'episode' AND kind IN ('fact', 'preference') AND state = 'superseded')`, []any{userID}, &some)
	return some, err
}

// SourcesOf returns the sources of memories, by memory and in order of source id.
func (s *Snapshot) SourcesOf(ctx context.Context, memories []int64) (map[int64][]Source, error) {
	of := make(map[int64][]Source)
	var src Source
	err := Each(ctx, s.Query, []any{&src.MemoryID, &src.SourceID, &src.Quote}, func() error {
		of[src.MemoryID] = append(of[src.MemoryID], src)
		return nil
	}, `SELECT ms.memory_id, ms.source_id, ms.quote FROM json_each(?) j
		CROSS JOIN memory_sources ms ON ms.memory_id = CAST(j.value AS BIGINT) ORDER BY ms.memory_id, ms.source_id`, JSONList(memories))
	return of, err
}

// SupersededBy returns the claims that each of the given ones superseded, by successor.
func (s *Snapshot) SupersededBy(ctx context.Context, successors []int64) (map[int64][]int64, error) {
	of := make(map[int64][]int64)
	var by, id int64
	err := Each(ctx, s.Query, []any{&by, &id}, func() error {
		of[by] = append(of[by], id)
		return nil
	}, `SELECT m.superseded_by, m.id FROM json_each(?) j
		CROSS JOIN memories m ON m.superseded_by = CAST(j.value AS BIGINT) AND m.superseded_by IS NOT NULL ORDER BY m.id`, JSONList(successors))
	return of, err
}

// Ended is a claim that no longer holds.
type Ended struct {
	Claim Memory
	// Quote is the sentence of the requested memory that the claim rests on, or "" if
	// the claim itself was requested.
	Quote string
	// By is the claim that holds instead, the last of a chain of successors; nil if
	// there is none that may be shown.
	By *Memory
}

// EndedClaims returns, by memory, the superseded claims among the given memories and
// the claims that rest on them. A claim merged with another of the same object has not
// ended, nor has what a message says if its successor rests on the same message.
func (s *Snapshot) EndedClaims(ctx context.Context, userID int64, memories []int64) (map[int64][]Ended, error) {
	if len(memories) == 0 {
		return nil, nil
	}
	type found struct {
		of, claim int64
		quote     string
	}
	var all []found
	var claims []int64
	var f found
	if err := Each(ctx, s.Query, []any{&f.of, &f.claim, &f.quote}, func() error {
		all, claims = append(all, f), append(claims, f.claim)
		return nil
	}, endedClaims, JSONList(memories), userID); err != nil || len(all) == 0 {
		return nil, err
	}
	known, err := s.chains(ctx, userID, claims)
	if err != nil {
		return nil, err
	}
	ended := make(map[int64][]Ended)
	for _, f := range all {
		m, there := known[f.claim]
		if !there || m.ValidUntil.IsZero() {
			continue
		}
		e := Ended{Claim: m, Quote: f.quote}
		last, same := successor(known, m)
		if same {
			continue
		}
		if last != nil && (last.State == StateActive || last.State == StateDormant) {
			e.By = last
		}
		ended[f.of] = append(ended[f.of], e)
	}
	return ended, nil
}

// The plus keeps SQLite from using the index on state, which would read all of the
// user's superseded claims.
const endedClaims = `SELECT CAST(j.value AS BIGINT), m.id, ms.quote FROM json_each(?1) j
		CROSS JOIN memory_sources ms ON ms.source_id = CAST(j.value AS BIGINT)
		CROSS JOIN memories m ON m.id = ms.memory_id WHERE +m.user_id = ?2 AND +m.state = 'superseded'
			AND NOT EXISTS (SELECT 1 FROM memory_sources own WHERE own.memory_id = m.superseded_by AND own.source_id = CAST(j.value AS BIGINT))
	UNION ALL SELECT CAST(j.value AS BIGINT), m.id, '' FROM json_each(?1) j
		CROSS JOIN memories m ON m.id = CAST(j.value AS BIGINT) WHERE +m.user_id = ?2 AND +m.state = 'superseded'`

// WithdrawnClaims returns, by message, the retired, forgotten and quarantined claims that rest
// on it, and those superseded by such a claim, with the quotation.
func (s *Snapshot) WithdrawnClaims(ctx context.Context, userID int64, messages []int64) (map[int64][]Ended, error) {
	quotes := make(map[int64][]Source) // by claim
	var ids []int64
	var src Source
	err := Each(ctx, s.Query, []any{&src.MemoryID, &src.SourceID, &src.Quote}, func() error {
		quotes[src.MemoryID], ids = append(quotes[src.MemoryID], src), append(ids, src.MemoryID)
		return nil
	}, `SELECT m.id, ms.source_id, ms.quote FROM json_each(?1) j
		CROSS JOIN memory_sources ms ON ms.source_id = CAST(j.value AS BIGINT)
		CROSS JOIN memories m ON m.id = ms.memory_id WHERE +m.user_id = ?2 AND (+m.state IN ('retired', 'forgotten', 'quarantined')
			OR +m.state = 'superseded' AND EXISTS (WITH RECURSIVE later (id) AS (SELECT m.superseded_by UNION SELECT superseded_by FROM later JOIN memories USING (id))
				SELECT 1 FROM later JOIN memories USING (id) WHERE state IN ('retired', 'forgotten', 'quarantined')))`, JSONList(messages), userID)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	claims, err := s.MemoriesByID(ctx, userID, ids)
	if err != nil {
		return nil, err
	}
	withdrawn := make(map[int64][]Ended)
	for _, m := range claims {
		for _, src := range quotes[m.ID] {
			withdrawn[src.SourceID] = append(withdrawn[src.SourceID], Ended{Claim: m, Quote: src.Quote})
		}
	}
	return withdrawn, nil
}

// maxChain limits how many successors are followed.
const maxChain = 32

// chains reads claims and, step by step, their successors.
func (s *Snapshot) chains(ctx context.Context, userID int64, ids []int64) (map[int64]Memory, error) {
	known := make(map[int64]Memory)
	for range maxChain {
		read, err := s.MemoriesByID(ctx, userID, ids)
		if err != nil {
			return nil, err
		}
		ids = nil
		for _, m := range read {
			known[m.ID] = m
		}
		for _, m := range read {
			if _, there := known[m.SupersededBy]; m.SupersededBy != 0 && !there {
				ids = append(ids, m.SupersededBy)
			}
		}
		if len(ids) == 0 {
			break
		}
	}
	return known, nil
}

// successor returns the last successor of m, nil for none. same reports that it states
// the same as m.
func successor(known map[int64]Memory, m Memory) (last *Memory, same bool) {
	at := m
	for range maxChain {
		next, there := known[at.SupersededBy]
		if !there {
			break
		}
		at, last = next, &next
	}
	if last == nil {
		return nil, false
	}
	same = last.ContentHash == m.ContentHash ||
		m.Object != "" && last.Predicate == m.Predicate && HashContent(last.Object) == HashContent(m.Object)
	return last, same
}

// StatedClaim is a fact or preference with what its sources say about it.
type StatedClaim struct {
	Memory

	Said   Time   // time of the newest source with at least the claim's trust; its event time without one
	SaidBy string // the speaker or role of its newest source; "" without one
}

// Claims returns the user's active, dormant and superseded claims, in order of
// id.
func (n NightReads) Claims(ctx context.Context, userID int64) (claims []StatedClaim, err error) {
	err = n.db.NewRaw(`SELECT m.*, coalesce(
			(SELECT max(s.event_time) FROM memory_sources ms JOIN memories s ON s.id = ms.source_id WHERE ms.memory_id = m.id AND s.trust >= m.trust),
			m.event_time) AS said,
		coalesce((SELECT CASE s.speaker WHEN '' THEN s.role ELSE s.speaker END FROM memory_sources ms JOIN memories s ON s.id = ms.source_id
			WHERE ms.memory_id = m.id ORDER BY s.event_time DESC, s.id LIMIT 1), '') AS said_by
		FROM memories m WHERE m.user_id = ? AND m.kind IN ('fact', 'preference') AND m.state IN ('active', 'dormant', 'superseded') ORDER BY m.id`,
		userID).Scan(ctx, &claims)
	return claims, err
}

// ClaimMentions calls visit with each link of the user's active claims to an
// entity, in descending order of memory. A merged entity counts as the one it
// was merged into.
func (n NightReads) ClaimMentions(ctx context.Context, userID int64, visit func(memory, entity int64, surface string)) error {
	var memory, entity int64
	var surface string
	return Each(ctx, n.db.Query, []any{&memory, &entity, &surface}, func() error {
		visit(memory, entity, surface)
		return nil
	}, `WITH RECURSIVE up (id, root, next) AS (SELECT id, id, merged_into FROM entities WHERE user_id = ?1
			UNION SELECT up.id, e.id, e.merged_into FROM up CROSS JOIN entities e ON e.id = up.next)
		SELECT me.memory_id, up.root, me.surface FROM up JOIN memory_entities me ON me.entity_id = up.id
		JOIN memories m ON m.id = me.memory_id
		WHERE up.next IS NULL AND m.user_id = ?1 AND m.kind IN ('fact', 'preference') AND m.state = 'active' ORDER BY me.memory_id DESC`, userID)
}

// Evidence is a source of a memory.
type Evidence struct {
	UID       string
	Content   string
	Speaker   string
	Owner     string // name of the user whose memory the source is
	Role      string
	Trust     Trust
	EventTime Time
	Quote     string // of the source, in the memory
}

// Evidence returns the sources of a memory, in order of id.
func (n NightReads) Evidence(ctx context.Context, memoryID int64) (sources []Evidence, err error) {
	err = n.db.NewRaw(`SELECT s.uid, s.content, s.speaker, u.name AS owner, s.role, s.trust, s.event_time, ms.quote
		FROM memory_sources ms JOIN memories s ON s.id = ms.source_id JOIN users u ON u.id = s.user_id WHERE ms.memory_id = ? ORDER BY s.id`,
		memoryID).Scan(ctx, &sources)
	return sources, err
}
