package transfer

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/memory"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/erase"
	"github.com/ebbmem/ebb/schema/records"
)

// ExportReport counts what an export wrote.
type ExportReport struct {
	Records int64 `json:"records"` // lines, without header and end
	Bytes   int64 `json:"bytes"`
}

// Export writes everything a user's memory holds. It implements Extension.Export.
func Export(ctx context.Context, m *memory.Memory, w io.Writer, scope schema.Scope) (*ExportReport, error) {
	return export(ctx, m, w, scope, (*exporter).all)
}

// export calls write with an exporter on a consistent snapshot of a user's memory.
func export(ctx context.Context, m *memory.Memory, w io.Writer, scope schema.Scope, write func(*exporter, context.Context) error) (*ExportReport, error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	if err := finishErasures(ctx, m, scope); err != nil {
		return nil, err
	}
	out := &exporter{now: schema.At(m.DB.Now()), w: bufio.NewWriterSize(memory.HostWriter{Writer: w}, 64<<10)}
	out.enc = json.NewEncoder(out)
	out.enc.SetEscapeHTML(false)
	err := m.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, scope)
		if err != nil {
			return err
		}
		if userID == 0 {
			return fmt.Errorf("this user has no memory in this file: %w", schema.ErrNotFound)
		}
		erasing, err := erase.Unfinished(ctx, s, userID)
		if err != nil {
			return err
		}
		if erasing {
			return ErrErasing
		}
		out.s, out.userID = s, userID
		return write(out, ctx)
	})
	if err == nil {
		err = out.w.Flush()
	}
	if err != nil {
		return nil, err
	}
	return &out.report, nil
}

// ErrErasing means that an erasure of the user waits or is under way. What it erases
// is not known before it is done: it goes through every text that was made of it.
var ErrErasing = errors.New("an erasure of this user is not finished: it goes on when the file is next opened for writing; export then")

// finishErasures carries out what was interrupted, unless the memory is read-only.
func finishErasures(ctx context.Context, m *memory.Memory, scope schema.Scope) error {
	var erasing bool
	err := m.DB.ReadUser(ctx, scope, func(ctx context.Context, s *schema.Snapshot, userID int64) (err error) {
		erasing, err = erase.Unfinished(ctx, s, userID)
		return err
	})
	if err != nil || !erasing || m.ReadOnly {
		return err
	}
	users, err := erase.Finish(ctx, m.DB)
	for _, userID := range users {
		m.Searcher.Forget(userID)
	}
	if unfinished, ok := errors.AsType[*erase.Error](err); ok && unfinished.State == erase.Logged {
		return nil // no row is left
	}
	return err
}

// exporter writes one user's records.
type exporter struct {
	now    schema.Time // before the snapshot
	s      *schema.Snapshot
	userID int64
	w      *bufio.Writer
	enc    *json.Encoder
	report ExportReport
}

func (e *exporter) Write(p []byte) (int, error) {
	n, err := e.w.Write(p)
	e.report.Bytes += int64(n)
	return n, err
}

func (e *exporter) put(l records.Line) error {
	if l.Header == nil && l.End == nil {
		e.report.Records++
	}
	err := e.enc.Encode(l)
	if _, damaged := errors.AsType[*json.MarshalerError](err); damaged {
		return fmt.Errorf("%w: a record of this export is no JSON", schema.ErrCorrupt)
	}
	return err
}

func (e *exporter) all(ctx context.Context) error {
	r := &records.Reader{Snapshot: e.s, UserID: e.userID, WrittenAt: e.now, Topic: eventbus.TopicMemoryStored, Consumer: memory.EnrichConsumer, Put: e.put}
	if err := r.Read(ctx); err != nil {
		return err
	}
	return e.put(records.Line{End: &records.End{Records: e.report.Records}})
}
