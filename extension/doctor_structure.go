package extension

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/ncruces/go-sqlite3"

	"github.com/ebbmem/ebb/schema"
)

// pages has SQLite look at every page and index.
func (e *examination) pages(ctx context.Context) {
	problems, err := e.lines(ctx, "PRAGMA integrity_check(20)")
	switch {
	case err != nil:
		e.note("pages and indexes", CheckDamaged, err.Error(), fixPages)
	case len(problems) == 1 && problems[0] == "ok":
		e.note("pages and indexes", CheckOK, "", "")
	default:
		e.note("pages and indexes", CheckDamaged, strings.Join(problems, "; "), fixPages)
	}
}

func (e *examination) foreignKeys(ctx context.Context) {
	const name = "references"
	found, err := e.lines(ctx, "SELECT \"table\" || ' row ' || coalesce(rowid, '?') || ' → ' || parent FROM pragma_foreign_key_check LIMIT 20")
	switch {
	case err != nil:
		e.note(name, CheckDamaged, err.Error(), fixRestore)
	case len(found) > 0:
		e.note(name, CheckDamaged, "rows that point nowhere: "+strings.Join(found, "; "), fixRestore)
	default:
		e.note(name, CheckOK, "", "")
	}
}

// textIndex has FTS5 compare its index with the chunks. The command for it is
// written as an insert, so it needs the write lock; it is rolled back.
func (e *examination) textIndex(ctx context.Context) {
	const name = "text index"
	db, err := openForExamination(e.name, false)
	if err != nil {
		e.note(name, CheckSkipped, "comparing it needs leave to write: "+err.Error(), "run ebb doctor as a user who may write the file")
		return
	}
	defer func() { _ = db.Close() }() // what was written is rolled back
	_, err = db.ExecContext(ctx, "BEGIN IMMEDIATE")
	if err == nil {
		_, err = db.ExecContext(ctx, "INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('integrity-check', 1)")
		_, undo := db.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		err = errors.Join(err, undo)
	}
	switch {
	case err == nil:
		e.note(name, CheckOK, "", "")
	case errors.Is(err, sqlite3.BUSY):
		e.note(name, CheckSkipped, "another process is writing", "run ebb doctor again when it is done")
	case noLeave(err):
		e.note(name, CheckSkipped, "comparing it needs leave to write", "run ebb doctor as a user who may write the file")
	default:
		e.note(name, CheckDamaged, err.Error(), fixRepair)
	}
}

// noLeave reports an error that says nothing about the file, only about who
// looks at it and where.
func noLeave(err error) bool {
	return errors.Is(err, sqlite3.READONLY) || errors.Is(err, sqlite3.CANTOPEN) || errors.Is(err, sqlite3.PERM)
}

// countCheck is a query that counts what should not be.
type countCheck struct {
	name, query, found, fix string
}

var countChecks = []countCheck{
	{
		name:  "text of every memory",
		query: "SELECT count(*) FROM memories m WHERE NOT EXISTS (SELECT 1 FROM chunks c WHERE c.memory_id = m.id)",
		found: "memories that no search by text can find", fix: fixRepair,
	},
	{
		name:  "scope of the text",
		query: "SELECT count(*) FROM chunks c JOIN memories m ON m.id = c.memory_id WHERE c.id >> 32 <> m.user_id",
		found: "pieces of text filed under another user", fix: fixRepair,
	},
	{
		name: "episodes have their message",
		query: `SELECT count(*) FROM memories m LEFT JOIN events e ON e.seq = m.event_seq
			WHERE m.kind = 'episode' AND (e.seq IS NULL OR e.user_id <> m.user_id)`,
		found: "episodes whose message is not in the journal", fix: fixRestore,
	},
	{
		name: "messages have their episode",
		query: `SELECT count(*) FROM events e WHERE e.topic IN ('user.message', 'agent.response', 'tool.result')
			AND e.seq NOT IN (SELECT event_seq FROM memories WHERE event_seq IS NOT NULL)`, // read once: there is no index
		found: "messages in the journal that were not remembered", fix: fixRestore,
	},
	{
		name:  "numbers of the text",
		query: "SELECT count(*) FROM users WHERE chunk_floor <> 0 AND chunk_floor >> 32 <> id",
		found: "users whose next text would be filed under another user", fix: fixRestore,
	},
	{
		name: "versions", query: `SELECT (SELECT count(*) FROM blocks WHERE version NOT BETWEEN 1 AND 1 << 20)
			+ (SELECT count(*) FROM memories WHERE version < 1) + (SELECT count(*) FROM leases WHERE term < 0)`,
		found: "rows with a version that there never was", fix: fixRestore,
	},
	{
		name: "proposals", query: `SELECT count(*) FROM proposals p WHERE p.state = 'pending' AND CASE WHEN json_valid(p.payload) THEN
			coalesce(json_extract(p.payload, '$.memory_id'), json_extract(p.payload, '$.message'), json_extract(p.payload, '$.from'),
				json_extract(p.payload, '$.earlier'), json_extract(p.payload, '$.block')) IS NULL
			OR EXISTS (SELECT 1 FROM memories m WHERE m.uid = json_extract(p.payload, '$.memory_id')
				AND (m.user_id <> p.user_id OR m.content <> json_extract(p.payload, '$.content'))) ELSE 0 END`,
		found: "proposals that do not say what they are about, or are about another user's memory, or about what it does not say", fix: fixRestore,
	},
	{
		name: "questions", query: `SELECT count(*) FROM confirmations c
			WHERE c.state = 'pending' AND c.shown <> (SELECT content FROM memories m WHERE m.id = c.memory_id)`,
		found: "questions about a memory that does not say what was shown", fix: fixRestore,
	},
	{
		name: "versions of blocks",
		query: `SELECT count(*) FROM blocks b WHERE b.version <> (SELECT count(*) FROM block_history h WHERE h.block_id = b.id)
			OR NOT EXISTS (SELECT 1 FROM block_history h WHERE h.block_id = b.id AND h.version = b.version AND h.content = b.content AND h.trust = b.trust)`,
		found: "blocks whose history misses a version, or ends with something else than the block holds", fix: fixRestore,
	},
	{
		name: "order of the text", query: schema.MisplacedText,
		found: "pieces of text before that of an older memory", fix: fixRepair,
	},
	{
		name:  "mention counts",
		query: "SELECT count(*) FROM (" + schema.MiscountedEntities + ")",
		found: "entities that are mentioned more or less often than they say", fix: fixRepair,
	},
	{
		name: "replaced claims",
		query: `SELECT count(*) FROM memories m LEFT JOIN memories n ON n.id = m.superseded_by
			WHERE m.state <> 'forgotten' AND (m.state = 'superseded') <> (m.superseded_by IS NOT NULL) OR n.user_id <> m.user_id`,
		found: "claims whose state and replacement disagree", fix: fixRestore,
	},
}

func (e *examination) count(ctx context.Context, c countCheck) {
	var n int64
	err := e.db.QueryRowContext(ctx, c.query).Scan(&n)
	switch {
	case err != nil:
		e.note(c.name, CheckDamaged, plain(err), fixPages)
	case n > 0:
		e.note(c.name, CheckDamaged, fmt.Sprintf("%s: %d", c.found, n), c.fix)
	default:
		e.note(c.name, CheckOK, "", "")
	}
}

// alteredTexts counts the memories that do not say what they said when they were
// stored: SQLite has no checksums, and takes a text with a flipped bit for
// another text.
func alteredTexts(ctx context.Context, db *sql.DB) (altered int, err error) {
	rows, err := db.QueryContext(ctx, "SELECT content, content_hash FROM memories")
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var content, hash string
		if err := rows.Scan(&content, &hash); err != nil {
			return 0, err
		}
		if schema.HashContent(content) != hash {
			altered++
		}
	}
	return altered, rows.Err()
}

func (e *examination) texts(ctx context.Context) {
	const name = "words of every memory"
	altered, err := alteredTexts(ctx, e.db)
	switch {
	case err != nil:
		e.note(name, CheckDamaged, plain(err), fixPages)
	case altered > 0:
		e.note(name, CheckWarning, fmt.Sprintf("%d do not say what they said when they were stored", altered),
			"a backup may have them")
	default:
		e.note(name, CheckOK, "", "")
	}
}

// blocks looks for versions of blocks that are not of their block's form: they
// are listed, and no change is taken back to them.
func (e *examination) blocks(ctx context.Context) {
	const name = "forms of blocks"
	rows, err := e.db.QueryContext(ctx, "SELECT kind, content FROM blocks UNION ALL SELECT b.kind, h.content FROM blocks b JOIN block_history h ON h.block_id = b.id")
	if err != nil {
		e.note(name, CheckDamaged, plain(err), fixPages)
		return
	}
	defer rows.Close()
	damaged := 0
	for rows.Next() {
		var b Block
		if err = rows.Scan(&b.Kind, &b.Content); err != nil {
			break
		}
		if b.Damaged() {
			damaged++
		}
	}
	switch err = errors.Join(err, rows.Err()); {
	case err != nil:
		e.note(name, CheckDamaged, plain(err), fixPages)
	case damaged > 0:
		e.note(name, CheckWarning, fmt.Sprintf("%d versions are not of their block's form: damaged, or of a form that it had before", damaged),
			"`ebb blocks` shows them; `Extension.SetBlock` writes a block anew")
	default:
		e.note(name, CheckOK, "", "")
	}
}

func (e *examination) vectors(ctx context.Context) {
	const name = "vectors"
	bad, err := schema.BadVectors(ctx, e.db)
	switch {
	case err != nil:
		e.note(name, CheckDamaged, plain(err), fixPages)
	case bad > 0:
		e.note(name, CheckDamaged, fmt.Sprintf("%d cannot be compared, or belong to another user's text", bad), fixRepair)
	default:
		e.note(name, CheckOK, "", "")
	}
}

// plain is an error's text without values of a row, which may be anybody's.
func plain(err error) string {
	if strings.Contains(err.Error(), "sql: Scan error") {
		return "a row holds a value of the wrong type"
	}
	return err.Error()
}
