package consolidate

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/consolidate/enrich"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// turn is a message to extract claims from.
type turn struct {
	schema.Memory

	alias  string // "m3"
	shown  string // its text in the prompt
	before string // the start of the message before; "" if that is on the page
}

// page is the messages of one call.
type page struct {
	turns     []turn
	through   int64 // the last message it covers
	read      int   // messages of the user
	smallTalk int
	setAside  int
}

const (
	pageTokens = 6000 // of one call
	turnTokens = 1500 // of one message; the rest is not read
	lookBehind = 60   // tokens of the message before
	pageRows   = 400  // maximum rows read for one page
)

// read collects the next page after a watermark.
func (x *extraction) read(ctx context.Context, after int64) (*page, error) {
	rows, err := schema.Get(ctx, x.in.DB, func(ctx context.Context, s *schema.Snapshot) ([]schema.Memory, error) {
		return s.EpisodesAfter(ctx, x.in.UserID, after, pageRows)
	})
	if err != nil {
		return nil, err
	}
	return x.collect(rows, after, x.Page), nil
}

// reread collects the given messages again.
func (x *extraction) reread(ctx context.Context, uids []string) (*page, error) {
	var rows []schema.Memory
	err := x.in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		for _, uid := range uids {
			m, err := s.Memory(ctx, x.in.UserID, uid)
			if err == nil {
				rows = append(rows, *m)
			} else if !isNotFound(err) {
				return err
			}
		}
		return nil
	})
	return x.collect(rows, 0, len(rows)), err
}

// collect selects messages in order of arrival until the page is full.
func (x *extraction) collect(rows []schema.Memory, after int64, most int) *page {
	p := &page{through: after}
	tokens := 0
	last := make(map[int64]*schema.Memory) // by session, the message before, unless it is on the page
	for i := range rows {
		m := &rows[i]
		if m.Role != "user" {
			p.through, last[m.SessionID] = m.ID, m
			continue
		}
		shown := text.Truncate(withoutFences(m.Content), turnTokens)
		size := text.Tokens(shown)
		if len(p.turns) == most || len(p.turns) > 0 && tokens+size > pageTokens {
			return p
		}
		p.through = m.ID
		p.read++
		switch {
		case !Showable(m):
			p.setAside++
			continue
		case strings.TrimSpace(shown) == "" || text.IsSmallTalk(shown):
			p.smallTalk++
			continue
		}
		tokens += size
		t := turn{Memory: *m, shown: shown}
		if b := last[m.SessionID]; b != nil && Showable(b) {
			t.before = text.Truncate(withoutFences(b.Content), lookBehind)
		}
		delete(last, m.SessionID)
		p.turns = append(p.turns, t)
	}
	return p
}

// fence matches injected memories, which a host may have stored with a message.
var fence = regexp.MustCompile(`(?s)<memory nonce="[^"]*">.*?(?:</memory nonce="[^"]*">|$)`)

func withoutFences(s string) string { return fence.ReplaceAllString(s, "") }

// byTrust splits a page by level of trust, the highest first, and assigns aliases.
func (p *page) byTrust() [][]turn {
	groups := make(map[schema.Trust][]turn)
	for _, t := range p.turns {
		groups[t.Trust] = append(groups[t.Trust], t)
	}
	var list [][]turn
	for _, g := range groups {
		for i := range g {
			g[i].alias = alias(i)
		}
		list = append(list, g)
	}
	slices.SortFunc(list, func(a, b []turn) int { return cmp.Compare(b[0].Trust, a[0].Trust) })
	return list
}

// waiting counts the messages that were not read.
func (x *extraction) waiting(ctx context.Context) (n int, err error) {
	err = x.in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		after, err := s.Watermark(ctx, x.in.UserID, extractStage)
		if err != nil {
			return err
		}
		n, err = s.Night().CountUnread(ctx, x.in.UserID, after)
		return err
	})
	return n, err
}

// echoSpan is how long before a message the model was shown what the message may echo.
const echoSpan = 7 * 24 * time.Hour

// injected returns, by session, the memories that models were shown in the
// sessions of some messages, up to each and from [echoSpan] before it.
func (x *extraction) injected(ctx context.Context, turns []turn) (map[string][]showing, error) {
	shown := make(map[string][]showing)
	type span struct{ first, last time.Time }
	spans := make(map[string]span)
	for _, t := range turns {
		at := t.EventTime.Time
		s, known := spans[t.SessionName]
		if !known || at.Before(s.first) {
			s.first = at
		}
		if at.After(s.last) {
			s.last = at
		}
		spans[t.SessionName] = s
	}
	err := x.in.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		for session, of := range spans {
			list, err := showings(ctx, s, x.in.UserID, session, of.first.Add(-echoSpan), of.last)
			if err != nil {
				return err
			}
			shown[session] = list
		}
		return nil
	})
	return shown, err
}

// showing is a memory that a model was shown, and when.
type showing struct {
	uid    string
	folded string
	words  []string
	at     int64 // Unix milliseconds
}

func showings(ctx context.Context, s *schema.Snapshot, userID int64, session string, since, until time.Time) ([]showing, error) {
	injections, err := s.InjectionsOf(ctx, userID, session, since, until)
	if err != nil {
		return nil, err
	}
	first := make(map[string]int64)
	for _, injection := range injections {
		var items []enrich.RecalledItem
		if err := schema.DecodeStored("the list of what was shown", injection.Items, &items); err != nil {
			return nil, err
		}
		at := injection.ShownAt.UnixMilli()
		for _, item := range items {
			if known, ok := first[item.ID]; !ok || at < known {
				first[item.ID] = at
			}
		}
	}
	var all []showing
	for uid, at := range first {
		m, err := s.Memory(ctx, userID, uid)
		if isNotFound(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		folded := text.Fold(m.Content)
		all = append(all, showing{uid, folded, wordsOf(folded), at})
	}
	return all, nil
}
