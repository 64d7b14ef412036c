package transfer

import (
	"context"
	"io"
	"time"

	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/records"
)

// Text is one text of a history, as [Read] finds it.
type Text struct {
	Where   string // position in the input: "line 7"
	ID      string // of the message or memory; derived where the format has none
	Session string
	Speaker string
	Role    string // user, assistant or tool; "" for claims of ebb's exports
	Text    string
	Time    time.Time // zero where the format has none
	// Claim means that it is a memory about something, not a message.
	Claim bool
	// Program means that an assistant, a tool or a model wrote it.
	Program bool
	// State is the state in an export of ebb, else active.
	State schema.State
}

// Read passes the texts of a history in any format of [Import] to visit, without
// storing or redacting them. Of an export of ebb these are the messages and claims
// that were not forgotten. unnamed is the session of messages without one.
//
// Errors: [*ImportError]; [*schema.InvalidError]; those of r and of visit.
func Read(ctx context.Context, r io.Reader, format ImportFormat, unnamed string, visit func(Text) error) (*ImportReport, error) {
	in, report := newInput(r), &ImportReport{}
	if err := in.detect(&format); err != nil {
		return report, err
	}
	report.Format = format
	counted := func(t Text) error {
		report.Read++
		if err := ctx.Err(); err != nil {
			return err
		}
		return visit(t)
	}
	var err error
	if format == FormatExport {
		keep := func(*records.Line) error { return nil }
		err = readExport(newLines(in.r, in.line, maxExportLine), keep, func(rec importedRecord) error {
			m := rec.line.Memory
			if m == nil || !m.ForgottenAt().IsZero() {
				return nil
			}
			return counted(Text{
				Where: rec.where, ID: m.UID, Session: m.SessionName, Speaker: m.Speaker, Role: m.Role, Text: m.Content, Time: m.EventTime.Time,
				Claim: m.Kind != schema.KindEpisode, Program: m.Role != "user" && m.Origin != schema.OriginUser, State: m.State,
			})
		})
	} else {
		err = in.turns(ctx, format, &elements{
			unnamed: unnamed, now: time.Now(), only: true, report: report,
			keep: func(text string) (string, error) { return text, nil },
			visit: func(where string, t importedTurn) error {
				if t.untimed {
					t.at = time.Time{}
					report.Untimed++
				}
				return counted(Text{
					Where: where, ID: t.id, Session: t.session, Speaker: t.speaker, Role: t.role, Text: t.text, Time: t.at,
					Claim: t.claim, Program: t.role != "user", State: schema.StateActive,
				})
			},
		})
	}
	report.Bytes = in.done
	return report, err
}
