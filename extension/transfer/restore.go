package transfer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/strictjson"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/records"
)

// maxExportLine is the longest accepted line of an export, in bytes: the longest
// text with every byte escaped, plus its record.
const maxExportLine = 16 << 20

// importedRecord is one checked line of an export, with everything computed that
// needs no database.
type importedRecord struct {
	where  string
	line   records.Line
	chunks []schema.Chunk // of a memory
}

// restore imports an export of ebb.
func (j *importJob) restore(ctx context.Context) error {
	if err := j.m.Redactor.Labels(j.opts.Scope); err != nil {
		return err
	}
	switch {
	case j.opts.Scope.Session != "" || j.opts.Scope.Agent != "":
		return &schema.InvalidError{Field: "Scope", Reason: "has a session or agent; an export of ebb brings its own"}
	case j.opts.OfUser != "" || j.opts.OnlySession != "" || j.opts.SkipBad:
		return &schema.InvalidError{Field: "ImportOptions", Reason: "has OfUser, OnlySession or SkipBad; an export of ebb is of one user, and whole or damaged"}
	case j.opts.Origin != "":
		return &schema.InvalidError{Field: "Origin", Reason: "cannot be set for an export of ebb; restore your own, any other is an import"}
	case !j.opts.Restore && j.opts.Scope.User == "":
		return &schema.InvalidError{Field: "Scope.User", Reason: "is missing: a file that is not restored does not say whose memory it becomes"}
	}
	before, err := schema.Get(ctx, j.m.DB, records.Last)
	if err != nil {
		return err
	}
	r := &restorer{job: j, passed: newPassed(), before: before}
	keep := keepLine(ctx, j.m.Redactor)
	if err := readExport(newLines(j.in.r, j.in.line, maxExportLine), keep, func(rec importedRecord) error { return r.add(ctx, rec) }); err != nil {
		return err
	}
	if err := r.flush(ctx); err != nil {
		return err
	}
	if err := r.settle(ctx); err != nil {
		return err
	}
	if err := r.dropOrphans(ctx); err != nil {
		return err
	}
	j.m.Searcher.Forget(r.userID) // sources may follow in a later batch than the text
	j.done.Restored, j.done.User = true, r.scope
	return nil
}

// readExport reads and checks the lines of an export in order. It calls visit with
// every record, redacted by keep, starting with the header; the end record is not
// passed on.
func readExport(lines *lines, keep func(*records.Line) error, visit func(importedRecord) error) error {
	var records int64
	ended := false
	for first := true; ; first = false {
		raw, err := lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		rec := importedRecord{where: "line " + strconv.Itoa(lines.n)}
		if err == nil {
			err = rec.parse(raw, first, ended, keep)
		}
		if err == nil && rec.line.End != nil {
			ended = true
			if rec.line.End.Records != records {
				err = &schema.InvalidError{Field: "end", Reason: fmt.Sprintf("counts %d records, but %d stand before it: lines were lost or added", rec.line.End.Records, records)}
			}
		}
		if err != nil {
			return &ImportError{Where: rec.where, Err: err}
		}
		if ended {
			continue
		}
		if !first {
			records++
		}
		if err := visit(rec); err != nil {
			return err
		}
	}
	if !ended {
		return &ImportError{Where: "line " + strconv.Itoa(lines.n), Err: &schema.InvalidError{Field: "end", Reason: "is missing: the export was cut off; export again and import that, what was stored of this one is kept"}}
	}
	return nil
}

func (r *importedRecord) parse(raw []byte, first, ended bool, keep func(*records.Line) error) error {
	dec := json.NewDecoder(bytes.NewReader(text.ValidUTF8(raw)))
	dec.DisallowUnknownFields() // ignoring them would lose data
	if err := dec.Decode(&r.line); err != nil {
		if field, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
			return &schema.InvalidError{Field: fieldName(strings.Trim(field, `"`)), Reason: "is not known to this version; use the ebb that wrote the export"}
		}
		return invalidJSON(err)
	}
	switch {
	case ended:
		return &schema.InvalidError{Field: "line", Reason: "stands after the end; import each export by itself"}
	case countRecords(&r.line) != 1 || dec.More():
		return &schema.InvalidError{Field: "line", Reason: "does not hold exactly one record"}
	case first != (r.line.Header != nil):
		return &schema.InvalidError{Field: "ebb", Reason: "is the first line of an export, and only that"}
	}
	if err := keep(&r.line); err != nil {
		return err
	}
	return r.check()
}

// fieldName returns name if it looks like a field's name, so that errors do not
// quote user data.
func fieldName(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return "a field"
}

var plainName = regexp.MustCompile(`^[a-z]{1,16}(?:_[a-z]{1,16}){0,3}$`)

func countRecords(l *records.Line) (n int) {
	v := reflect.ValueOf(l).Elem()
	for i := range v.NumField() { //nolint:modernize // Fields allocates, and every line of an import is counted
		if !v.Field(i).IsNil() {
			n++
		}
	}
	return n
}

// check refuses what the database would refuse, before anything is stored.
func (r *importedRecord) check() error {
	switch l := r.line; {
	case l.Header != nil:
		if l.Header.Export < 1 || l.Header.Export > records.Version {
			return &schema.InvalidError{Field: "export", Reason: fmt.Sprintf("has version %d, this ebb reads up to %d: use a newer ebb", l.Header.Export, records.Version)}
		}
		return schema.Scope{Tenant: l.Header.Tenant, User: l.Header.User}.Validate()
	case l.Run != nil:
		var stages []consolidate.StageReport // a resumed night reads them
		if err := json.Unmarshal(l.Run.Stages, &stages); err != nil {
			return &schema.InvalidError{Field: "stages", Reason: "of a run are missing, or no list: it " + strictjson.Fault(err)}
		}
	case l.Event != nil:
		return checkEvent(l.Event)
	case l.Memory != nil:
		if err := l.Memory.Validate(); err != nil {
			return err
		}
		if l.Memory.UID == "" {
			return &schema.InvalidError{Field: "id", Reason: "is missing"}
		}
		r.chunks = schema.PrepareChunks(l.Memory.Content, l.Memory.Speaker, l.Memory.Tags...)
	}
	return nil
}

func checkEvent(r *records.Event) error {
	for _, label := range [...]struct{ field, value string }{{"id", r.ID}, {"topic", r.Topic}} {
		if label.value == "" {
			return &schema.InvalidError{Field: label.field, Reason: "is missing"}
		}
		if err := schema.ValidLabel(label.field, label.value); err != nil {
			return err
		}
	}
	if err := r.Origin.Validate(); err != nil {
		return err
	}
	if r.Trust < 0 || r.Trust > r.Origin.Ceiling() {
		return &schema.InvalidError{Field: "trust", Reason: "is above what its origin can carry"}
	}
	if len(r.Payload) == 0 || r.OccurredAt.IsZero() || r.RecordedAt.IsZero() {
		return &schema.InvalidError{Field: "event", Reason: "lacks its payload, occurred_at or recorded_at"}
	}
	if r.Injection != nil && len(r.Injection.Items) == 0 {
		return &schema.InvalidError{Field: "items", Reason: "of an injection are missing"}
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, r.Payload); err != nil {
		return invalidJSON(err)
	}
	r.Payload = compact.Bytes()
	if !isMessage(r.Topic) {
		return nil
	}
	_, err := eventbus.Event{Topic: r.Topic, Payload: r.Payload}.Message()
	return err
}

// restorer stores records in batches, each in one transaction.
type restorer struct {
	job     *importJob
	scope   schema.Scope // the importer's scope
	userID  int64
	pending []importedRecord
	bytes   int
	passed  *passed
	before  records.Arrivals // what was here before the file
}

// settle creates a journal entry for each episode imported without one, and an
// episode for each message imported without one. An untrusted file may lack either;
// the memory needs both.
func (r *restorer) settle(ctx context.Context) error {
	if r.before.UserID = r.userID; r.userID == 0 {
		return nil
	}
	for {
		var changed int
		err := r.job.m.DB.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
			if err := tx.SameUser(ctx, r.scope, r.userID); err != nil {
				return err
			}
			for id := range r.passed.events { // the episode was erased here
				if err := r.before.DropEvent(ctx, tx, id); err != nil {
					return err
				}
			}
			journalled, err := journalEpisodes(ctx, tx, r.before)
			if err != nil {
				return err
			}
			changed, err = rememberMessages(ctx, r.job.m, tx, r.scope, r.before)
			changed += journalled
			return err
		})
		if err != nil || changed == 0 {
			return err
		}
	}
}

func (r *restorer) add(ctx context.Context, rec importedRecord) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if h := rec.line.Header; h != nil {
		r.scope = r.job.opts.Scope
		if r.scope.User == "" {
			r.scope = r.job.m.DB.Complete(schema.Scope{Tenant: cmp.Or(r.scope.Tenant, h.Tenant), User: h.User})
		}
		if err := r.scope.Validate(); err != nil {
			return err
		}
		r.passed.owners = []schema.Scope{r.scope}
		if former := (schema.Scope{Tenant: h.Tenant, User: h.User}); r.job.opts.Restore && former != r.scope {
			r.passed.owners = append(r.passed.owners, former)
		}
	}
	if !r.job.opts.Restore {
		said := claimedTrust(&rec.line)
		if !distrust(&rec.line) {
			r.job.done.Report.Skipped++
			return nil
		}
		if said > claimedTrust(&rec.line) {
			r.job.done.Report.Lowered++
		}
	}
	if rec.line.Tombstone != nil && len(r.passed.owners) > 1 { // a hash of the former name
		r.job.done.Report.leaveOut("refusals of erased messages that are sent again under the new name", 1)
	}
	if s := rec.line.Session; s != nil {
		r.job.sessions[s.Name] = 0
	}
	r.pending = append(r.pending, rec)
	if m := rec.line.Memory; m != nil {
		r.bytes += len(m.Content)
	}
	if e := rec.line.Event; e != nil {
		r.bytes += len(e.Payload)
	}
	if len(r.pending) >= batchTurns || r.bytes >= batchBytes {
		return r.flush(ctx)
	}
	return nil
}

func (r *restorer) flush(ctx context.Context) error {
	var read, fresh, erased int
	var userID int64
	var found passed
	err := r.job.m.DB.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		read, fresh, erased = 0, 0, 0
		if r.userID != 0 {
			if err := tx.SameUser(ctx, r.scope, r.userID); err != nil {
				return err
			}
		}
		found = *r.passed // this may run twice; its sets hold the same then
		w := &restoring{passed: &found, Writer: records.Writer{
			Tx: tx, Scope: r.scope, UserID: r.userID, Trusted: r.job.opts.Restore,
			Stored: func(ctx context.Context, scope schema.Scope, m *schema.Memory, unlinked bool) error {
				if unlinked {
					return r.job.m.Announce(ctx, tx, scope, m)
				}
				return r.job.m.AnnounceRestored(ctx, tx, scope, m)
			},
		}}
		for i := range r.pending {
			rec := &r.pending[i]
			over, err := w.passOver(ctx, &rec.line)
			stored := false
			if !over && err == nil {
				stored, err = w.Write(ctx, rec.line, rec.chunks)
			}
			if !over && !stored && err == nil {
				err = r.meet(ctx, w, &rec.line)
			}
			if err != nil {
				return &ImportError{Where: rec.where, Err: schema.Refused("record", err)}
			}
			if rec.line.Header != nil {
				continue
			}
			read++
			if over {
				erased++
				continue
			}
			if m := rec.line.Memory; m != nil && m.Kind != schema.KindEpisode {
				r.passed.claims[m.UID] = m.Version
			}
			if stored {
				fresh++
				if e := rec.line.Entity; e != nil {
					r.passed.entities[e.UID] = true
				}
			}
		}
		userID = w.UserID
		return nil
	})
	if err != nil {
		return err
	}
	r.userID, *r.passed = userID, found
	r.job.stored(read, fresh, erased, r.job.in.done)
	r.pending, r.bytes = r.pending[:0], 0
	return nil
}

// meet looks at a message or a memory that the user has already. Another text under
// the id of a message is an error: the journal would drop this message, and its memory
// rest on the other. What an untrusted file brought may come from an interrupted import,
// which settled nothing.
func (r *restorer) meet(ctx context.Context, w *restoring, l *records.Line) error {
	switch {
	case l.Memory != nil && !w.Trusted:
		id, err := w.MemoryID(ctx, l.Memory.UID)
		r.before.Include(id, 0)
		return err
	case l.Event != nil && isMessage(l.Event.Topic):
		stored, err := records.StoredEvents(ctx, w.Tx.Query, w.UserID, l.Event.ID)
		for _, s := range stored {
			if !bytes.Equal(s.Payload, l.Event.Payload) && differsInText(s.Payload, l.Event.Payload, r.job.redacted(ctx)) {
				return reusedID("text", "this user")
			}
			if !w.Trusted {
				r.before.Include(0, s.Seq)
			}
		}
		return err
	}
	return nil
}
