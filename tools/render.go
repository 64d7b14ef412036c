package tools

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

// line is one memory in the default format of [Deps.Render].
type line struct {
	ID      string       `json:"id"`
	Kind    schema.Kind  `json:"kind"`
	Date    string       `json:"date"` // when it happened, with the weekday
	Until   string       `json:"true_until,omitempty"`
	Speaker string       `json:"speaker,omitempty"`
	Session string       `json:"session,omitempty"`
	State   schema.State `json:"state,omitempty"` // unless active
	Origin  string       `json:"origin"`
	Trust   schema.Trust `json:"trust"`
	Text    string       `json:"text"`
}

const (
	dateAndTime = "Mon 2006-01-02 15:04"
	dateOnly    = "Mon 2006-01-02"
)

func renderLines(results []recall.Result, loc *time.Location) string {
	var b strings.Builder
	for _, r := range results {
		m := &r.Memory
		l := line{
			ID: m.UID, Kind: m.Kind, Date: m.EventTime.In(loc).Format(dateAndTime), Speaker: m.Speaker, Session: m.SessionName,
			Origin: string(m.Origin), Trust: m.Trust, Text: m.Content,
		}
		l.Speaker = cmp.Or(l.Speaker, m.Role)
		if m.State != schema.StateActive {
			l.State = m.State
		}
		if !m.ValidUntil.IsZero() {
			l.Until = m.ValidUntil.In(loc).Format(dateOnly)
		}
		b.WriteString(encode(l))
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// rendered returns memories under a title.
func (d *Deps) rendered(ctx context.Context, title string, results []recall.Result) (string, error) {
	records, err := d.Render(ctx, results)
	return title + "\n" + records, err
}

// encode returns one line of JSON.
func encode(v any) string { return text.JSON(v) }
