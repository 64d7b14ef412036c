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
)

// ExportReport counts what an export wrote.
type ExportReport struct {
	Records int64 `json:"records"` // lines, without the first and the last
	Bytes   int64 `json:"bytes"`
}

// Export writes everything that a user's memory holds. Hosts call
// Extension.Export, which says more.
func Export(ctx context.Context, m *memory.Memory, w io.Writer, scope schema.Scope) (*ExportReport, error) {
	return export(ctx, m, w, scope, (*exporter).all)
}

// export writes, with write, one consistent state of a user's memory.
func export(ctx context.Context, m *memory.Memory, w io.Writer, scope schema.Scope, write func(*exporter, context.Context) error) (*ExportReport, error) {
	if err := scope.Validate(); err != nil {
		return nil, err
	}
	out := &exporter{w: bufio.NewWriterSize(w, 64<<10)}
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

// exporter writes one user's records.
type exporter struct {
	s      *schema.Snapshot
	userID int64
	w      *bufio.Writer
	enc    *json.Encoder
	report ExportReport

	unlinked map[string]bool // memories that no mentions were looked for in yet
}

func (e *exporter) Write(p []byte) (int, error) {
	n, err := e.w.Write(p)
	e.report.Bytes += int64(n)
	return n, err
}

func (e *exporter) put(l exportLine) error {
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
	for _, section := range []func(context.Context) error{
		e.header, e.tombstones, e.sessions, e.runs, e.entities, e.merged, e.aliases,
		e.messages, e.memories, e.superseded, e.sources, e.links,
		e.blocks, e.blockVersions, e.proposals, e.confirmations, e.gaps, e.ops, e.documents,
		e.reports, e.watermarks,
	} {
		if err := section(ctx); err != nil {
			return err
		}
	}
	return e.put(exportLine{End: &endRecord{Records: e.report.Records}})
}

// scanner reads the columns of one row.
type scanner interface{ Scan(dest ...any) error }

// each writes one line for each row of a query about the user, which is its
// first argument.
func (e *exporter) each(ctx context.Context, query string, read func(row scanner) (exportLine, error)) error {
	rows, err := e.s.Query(ctx, query, e.userID)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		line, err := read(rows)
		if err != nil {
			return err
		}
		if err := e.put(line); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (e *exporter) header(ctx context.Context) error {
	user, err := e.s.UserByID(ctx, e.userID)
	if err != nil {
		return err
	}
	return e.put(exportLine{Header: &headerRecord{
		Export: exportVersion, Tenant: user.Tenant, User: user.Name, TimeZone: user.TimeZone,
		CreatedAt: user.CreatedAt, NightsThrough: user.NightsThrough, ImportanceSince: user.ImportanceSince,
		Cycle: user.Cycle, ReflectedCycle: user.ReflectedCycle, ReflectedAt: user.ReflectedAt,
	}})
}

// pageSize is how many memories are read at a time.
const pageSize = 64

func (e *exporter) memories(ctx context.Context) (err error) {
	if e.unlinked, err = e.readUnlinked(ctx); err != nil {
		return err
	}
	for after := int64(0); ; {
		ids, err := e.s.MemoryIDs(ctx, e.userID, after, pageSize)
		if err != nil || len(ids) == 0 {
			return err
		}
		after = ids[len(ids)-1]
		if err := e.page(ctx, ids); err != nil {
			return err
		}
	}
}

// readUnlinked lists what the enricher has not come to. What was restored
// brought its mentions along, so it is not waiting for any.
func (e *exporter) readUnlinked(ctx context.Context) (map[string]bool, error) {
	rows, err := e.s.Query(ctx, `SELECT json_extract(payload, '$.id') FROM events
		WHERE user_id = ?1 AND topic = ?2 AND json_extract(payload, '$.restored') IS NOT 1 AND seq IN (
			SELECT seq FROM events WHERE seq > coalesce((SELECT cursor FROM consumers WHERE name = ?3), 0)
			UNION ALL SELECT seq FROM deliveries WHERE consumer = ?3)`,
		e.userID, eventbus.TopicMemoryStored, memory.EnrichConsumer)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	unlinked := make(map[string]bool)
	for rows.Next() {
		var uid string
		if err := rows.Scan(&uid); err != nil {
			return nil, err
		}
		unlinked[uid] = true
	}
	return unlinked, rows.Err()
}

func (e *exporter) page(ctx context.Context, ids []int64) error {
	memories, err := e.s.MemoriesByID(ctx, e.userID, ids)
	if err != nil {
		return err
	}
	byID := make(map[int64]*schema.Memory, len(memories))
	for i := range memories {
		byID[memories[i].ID] = &memories[i]
	}
	for _, id := range ids {
		m := byID[id]
		if m == nil {
			return fmt.Errorf("%w: memory %d stands in an index and not in its table", schema.ErrCorrupt, id)
		}
		record := &memoryRecord{Memory: *m}
		if record.RunID != 0 {
			if err := e.s.Row(ctx, "SELECT uid FROM runs WHERE id = ?", []any{record.RunID}, &record.Run); err != nil {
				return err
			}
		}
		if record.Mentions, err = e.mentions(ctx, id); err != nil {
			return err
		}
		record.Unlinked = e.unlinked[record.UID]
		if err := e.put(exportLine{Memory: record}); err != nil {
			return err
		}
	}
	return nil
}

func (e *exporter) mentions(ctx context.Context, memoryID int64) ([]mentionRecord, error) {
	rows, err := e.s.Query(ctx, `SELECT n.uid, me.surface, me.confidence FROM memory_entities me
		JOIN entities n ON n.id = me.entity_id WHERE me.memory_id = ? ORDER BY me.entity_id`, memoryID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var mentions []mentionRecord
	for rows.Next() {
		var m mentionRecord
		if err := rows.Scan(&m.Entity, &m.Surface, &m.Confidence); err != nil {
			return nil, err
		}
		mentions = append(mentions, m)
	}
	return mentions, rows.Err()
}

// watermarks writes how far each stage got as a memory, which row ids cannot be.
func (e *exporter) watermarks(ctx context.Context) error {
	return e.each(ctx, `SELECT w.name, (SELECT uid FROM memories WHERE user_id = w.user_id AND id <= w.through ORDER BY id DESC LIMIT 1),
			(SELECT count(*) FROM memories WHERE user_id = w.user_id AND id <= w.through)
		FROM watermarks w WHERE w.user_id = ? AND EXISTS (SELECT 1 FROM memories WHERE user_id = w.user_id AND id <= w.through) ORDER BY w.name`,
		func(row scanner) (exportLine, error) {
			r := new(watermarkRecord)
			return exportLine{Watermark: r}, row.Scan(&r.Stage, &r.Memory, &r.Memories)
		})
}

func (e *exporter) gaps(ctx context.Context) error {
	return e.each(ctx, "SELECT uid, stage, memories, attempts, last_error, created_at FROM gaps WHERE user_id = ? ORDER BY id", func(row scanner) (exportLine, error) {
		r := new(gapRecord)
		return exportLine{Gap: r}, row.Scan(&r.ID, &r.Stage, &r.Memories, &r.Attempts, &r.LastError, &r.CreatedAt)
	})
}
