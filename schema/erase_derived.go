package schema

import (
	"context"
	"math"

	"github.com/ebbmem/ebb/internal/text"
)

// insights are the memories of the user that give themselves away: reflections,
// for which a model was shown more than they cite, and what a model was told to
// remember without a message to show for it.
func (b *batch) insights(ctx context.Context) (found []int64, err error) {
	rows, err := b.tx.Query(ctx, `SELECT id, content || char(10) || coalesce(subject, '') || char(10) || coalesce(object, '') || char(10) || tags || char(10) || attributes
		FROM memories m WHERE user_id = ? AND kind <> 'episode' AND (kind = 'reflection' OR NOT EXISTS (SELECT 1 FROM memory_sources WHERE memory_id = m.id))`, b.userID)
	if err != nil {
		return nil, err
	}
	texts := make(map[int64]string)
	for rows.Next() {
		var id int64
		var content string
		if err := rows.Scan(&id, &content); err != nil {
			_ = rows.Close()
			return nil, err
		}
		texts[id] = content
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	for id, content := range texts {
		betrays, err := b.words.betraysClaim(ctx, content)
		if err != nil {
			return nil, err
		}
		if betrays && b.doomed[id] == nil {
			found = append(found, id)
		}
	}
	return found, nil
}

// claim is what decides whether a derived memory can stay.
type claim struct {
	uid     string
	kind    Kind
	said    string
	sources []bearing
}

// bearing is a source of a claim.
type bearing struct {
	id    int64
	gone  bool
	trust Trust
	at    Time // when it was said
	said  string
	quote string
}

func (b *batch) claim(ctx context.Context, id int64) (*claim, error) {
	c := new(claim)
	err := b.tx.Row(ctx, `SELECT uid, kind, content || char(10) || coalesce(subject, '') || char(10) || coalesce(object, '') || char(10) || tags || char(10) || attributes
		FROM memories WHERE id = ?`, []any{id}, &c.uid, &c.kind, &c.said)
	if err != nil {
		return nil, err
	}
	rows, err := b.tx.Query(ctx, `SELECT m.id, m.trust, m.event_time, m.content || char(10) || m.speaker, ms.quote,
			EXISTS (SELECT 1 FROM erasing x WHERE x.record = 'memories' AND x.id = m.id)
		FROM memory_sources ms JOIN memories m ON m.id = ms.source_id WHERE ms.memory_id = ?`, id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var s bearing
		if err := rows.Scan(&s.id, &s.trust, &s.at, &s.said, &s.quote, &s.gone); err != nil {
			return nil, err
		}
		s.gone = s.gone || b.doomed[s.id] != nil
		c.sources = append(c.sources, s)
	}
	return c, rows.Err()
}

// stays reports whether what is left bears a derived memory: a source, of an
// insight two, and no word in it that only the erased ones said.
func (b *batch) stays(ctx context.Context, id int64) (bool, error) {
	c, err := b.claim(ctx, id)
	if err != nil {
		return false, err
	}
	left, gone, need := 0, 0, 1
	bornBy, only := make(map[string]bool), make(map[string]bool)
	for _, s := range c.sources {
		if s.gone {
			gone++
			continue
		}
		left++
		for _, term := range text.Terms(s.said) {
			bornBy[term] = true
		}
	}
	for _, s := range c.sources {
		if s.gone {
			for _, term := range text.Terms(s.said + "\n" + s.quote) {
				only[term] = !bornBy[term]
			}
		}
	}
	if c.kind == KindReflection {
		need = 2
	}
	if gone > 0 && left < need {
		return false, nil
	}
	for _, term := range text.Terms(c.said) {
		if only[term] && !text.IsStopWord(term) {
			return false, nil
		}
	}
	return true, nil
}

// rederive computes anew, from the sources that are left, what the kept claims
// take from their sources: trust, confidence, and when it was.
func (b *batch) rederive(ctx context.Context) error {
	for id := range b.kept {
		if err := b.rederiveOne(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

func (b *batch) rederiveOne(ctx context.Context, id int64) error {
	c, err := b.claim(ctx, id)
	if err != nil {
		return err
	}
	m := new(Memory)
	if err := b.tx.NewSelect().Model(m).Where("id = ?", id).Scan(ctx); err != nil {
		return err
	}
	trust, lost, dated := m.Trust, 1.0, false
	for _, s := range c.sources {
		if s.gone {
			lost *= 1 - EvidenceShare*float64(s.trust)/float64(MaxTrust)
			dated = dated || s.at.Equal(m.EventTime.Time)
		} else {
			trust = min(trust, s.trust)
		}
	}
	first, err := b.firstLeft(ctx, id)
	if err != nil {
		return err
	}
	confidence, origin, said, held := m.Confidence, m.Origin, m.EventTime, m.ValidFrom
	if !m.Protected { // its confidence is the host's
		confidence = Without(m.Confidence, lost)
	}
	if trust < m.Trust {
		confidence, origin = min(confidence, trust.MaxConfidence()), first.origin
	}
	if dated {
		if said = first.at; held.Equal(m.EventTime.Time) {
			held = said
		}
	}
	if err := b.rewrite(ctx, "memories", `UPDATE memories SET trust = ?, confidence = ?, origin = ?, event_time = ?, valid_from = ?, session_id = ?, version = version + 1 WHERE id = ?`,
		int64(trust), confidence, string(origin), said, held, nullID(first.session), id); err != nil {
		return err
	}
	b.receipt.Rederived = append(b.receipt.Rederived, c.uid)
	m.Version++
	return b.tx.audit(ctx, m, b.by, "rederive", "", "")
}

// leftSource is what a claim takes from the first of its sources.
type leftSource struct {
	at      Time
	session int64
	origin  Origin // of the least trusted
}

func (b *batch) firstLeft(ctx context.Context, id int64) (s leftSource, err error) {
	const left = `FROM memory_sources ms JOIN memories m ON m.id = ms.source_id WHERE ms.memory_id = ?1 AND m.id NOT IN (SELECT value FROM json_each(?2))
		AND NOT EXISTS (SELECT 1 FROM erasing x WHERE x.record = 'memories' AND x.id = m.id)`
	err = b.tx.Row(ctx, "SELECT m.event_time, coalesce(m.session_id, 0) "+left+" ORDER BY m.event_time, m.id LIMIT 1", []any{id, list(b.order)}, &s.at, &s.session)
	if err != nil {
		return s, err
	}
	return s, b.tx.Row(ctx, "SELECT m.origin "+left+" ORDER BY m.trust, m.id LIMIT 1", []any{id, list(b.order)}, &s.origin)
}

// Without is the confidence of a claim, 0–1, without a piece of evidence that
// had left so much of the doubt: what [Tx.Reinforce] adds, taken off again.
func Without(confidence, left float64) float64 {
	if left <= 0 {
		return 0
	}
	return math.Max(0, 1-(1-confidence)/left)
}
