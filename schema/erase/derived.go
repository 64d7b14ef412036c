package erase

import (
	"context"
	"math"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// revealingDerived finds what models made of the user's memories and reveals targets by
// its own words: reflections (the model saw more than they cite), and claims that a model
// saved without a message as their source. Such a claim is judged by what messages said:
// words that it shares with other claims alone are no sign of them. What the user or the
// host stated was said by itself.
func (b *batch) revealingDerived(ctx context.Context) (found []int64, err error) {
	type made struct {
		id   int64
		kind schema.Kind
		says statement
	}
	all, err := schema.List(ctx, b.tx.Query, func(m *made) []any { return append([]any{&m.id, &m.kind}, m.says.fields()...) },
		"SELECT id, kind, "+statementColumns+` FROM memories m WHERE user_id = ? AND (kind = 'reflection' OR kind <> 'episode' AND origin = 'assistant'
			AND protected = 0 AND NOT EXISTS (SELECT 1 FROM memory_sources WHERE memory_id = m.id))`, b.userID)
	if err != nil {
		return nil, err
	}
	b.words.saved = make(map[int64]bool)
	for _, m := range all {
		b.words.saved[m.id] = true
	}
	for _, m := range all {
		reveals := b.words.revealsClaim
		if m.kind != schema.KindReflection {
			reveals = b.words.revealsMessage
		}
		if revealed, err := reveals(ctx, m.says.all()); err != nil {
			return nil, err
		} else if revealed && b.targets[m.id] == nil {
			found = append(found, m.id)
		}
	}
	return found, nil
}

// claim is what decides whether a derived memory can stay.
type claim struct {
	uid     string
	kind    schema.Kind
	says    statement
	sources []source
}

// source is a source of a claim.
type source struct {
	id     int64
	erased bool
	trust  schema.Trust
	at     schema.Time // when it was said
	said   string
	quote  string
}

func (b *batch) claim(ctx context.Context, id int64) (*claim, error) {
	c := new(claim)
	err := b.tx.Row(ctx, "SELECT uid, kind, "+statementColumns+" FROM memories WHERE id = ?", []any{id}, append([]any{&c.uid, &c.kind}, c.says.fields()...)...)
	if err != nil {
		return nil, err
	}
	var s source
	err = schema.Each(ctx, b.tx.Query, []any{&s.id, &s.trust, &s.at, &s.said, &s.quote, &s.erased}, func() error {
		s.erased = s.erased || b.targets[s.id] != nil
		c.sources = append(c.sources, s)
		return nil
	}, `SELECT m.id, m.trust, m.event_time, m.content || '`+"\n"+`' || m.speaker, ms.quote,
			EXISTS (SELECT 1 FROM erasing x WHERE x.record = 'memories' AND x.id = m.id)
		FROM memory_sources ms JOIN memories m ON m.id = ms.source_id WHERE ms.memory_id = ?`, id)
	return c, err
}

// stays reports whether the remaining sources support a derived memory: one source,
// for a reflection two, and no word that only erased sources held.
func (b *batch) stays(ctx context.Context, id int64) (bool, error) {
	c, err := b.claim(ctx, id)
	if err != nil {
		return false, err
	}
	left, erased, need := 0, 0, 1
	supported, only := make(map[string]bool), make(map[string]bool)
	for _, s := range c.sources {
		if s.erased {
			erased++
			continue
		}
		left++
		for _, term := range text.Terms(s.said) {
			supported[term] = true
		}
	}
	for _, s := range c.sources {
		if s.erased {
			for _, term := range text.Terms(s.said + "\n" + s.quote) {
				only[term] = !supported[term]
			}
		}
	}
	if c.kind == schema.KindReflection {
		need = 2
	}
	if erased > 0 && left < need {
		return false, nil
	}
	for _, term := range text.Terms(c.says.all()) {
		if only[term] && !text.IsStopWord(term) {
			return false, nil
		}
	}
	return true, nil
}

// rederive computes again, from the remaining sources, what claims take from their
// sources: trust, confidence and time.
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
	m := new(schema.Memory)
	if err := b.tx.NewSelect().Model(m).Where("id = ?", id).Scan(ctx); err != nil {
		return err
	}
	trust, lost, dated := m.Trust, 1.0, false
	for _, s := range c.sources {
		if s.erased {
			lost *= 1 - schema.EvidenceShare*float64(s.trust)/float64(schema.MaxTrust)
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
		confidence = ConfidenceWithout(m.Confidence, lost)
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
		int64(trust), confidence, string(origin), said, held, schema.NullID(first.session), id); err != nil {
		return err
	}
	b.receipt.Rederived = append(b.receipt.Rederived, c.uid)
	m.Version++
	return b.tx.Audit(ctx, m, b.by, "rederive", "", "")
}

// leftSource is what a claim takes from its first remaining source.
type leftSource struct {
	at      schema.Time
	session int64
	origin  schema.Origin // of the least trusted
}

func (b *batch) firstLeft(ctx context.Context, id int64) (s leftSource, err error) {
	const left = `FROM memory_sources ms JOIN memories m ON m.id = ms.source_id WHERE ms.memory_id = ?1 AND m.id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each(?2))
		AND NOT EXISTS (SELECT 1 FROM erasing x WHERE x.record = 'memories' AND x.id = m.id)`
	err = b.tx.Row(ctx, "SELECT m.event_time, coalesce(m.session_id, 0) "+left+" ORDER BY m.event_time, m.id LIMIT 1", []any{id, schema.JSONList(b.order)}, &s.at, &s.session)
	if err != nil {
		return s, err
	}
	return s, b.tx.Row(ctx, "SELECT m.origin "+left+" ORDER BY m.trust, m.id LIMIT 1", []any{id, schema.JSONList(b.order)}, &s.origin)
}

// ConfidenceWithout returns the confidence of a claim, 0–1, without a piece of
// evidence that had left the given part of the doubt. It reverses
// [schema.Tx.Reinforce].
func ConfidenceWithout(confidence, left float64) float64 {
	if left <= 0 {
		return 0
	}
	return math.Max(0, 1-(1-confidence)/left)
}
