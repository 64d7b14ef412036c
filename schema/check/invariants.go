package check

import (
	"context"
	"strings"

	"github.com/ebbmem/ebb/schema"
)

// Invariant is what the rows of every memory keep, with a query that counts those
// that do not.
type Invariant struct {
	Name, Query string
	Found       string // what the query counts
	Derived     bool   // a repair derives the rows again
}

// Count counts the rows that do not keep the invariant.
func (i Invariant) Count(ctx context.Context, q schema.Querier) (n int, err error) {
	err = q.QueryRowContext(ctx, i.Query).Scan(&n)
	return n, err
}

// Invariants lists what the rows of every memory keep.
var Invariants = []Invariant{
	{
		Name:  "text of every memory",
		Query: "SELECT count(*) FROM memories m WHERE NOT EXISTS (SELECT 1 FROM chunks c WHERE c.memory_id = m.id)",
		Found: "memories that no search by text can find", Derived: true,
	},
	{
		Name:  "scope of the text",
		Query: "SELECT count(*) FROM chunks c JOIN memories m ON m.id = c.memory_id WHERE c.id >> 32 <> m.user_id",
		Found: "pieces of text filed under another user", Derived: true,
	},
	{
		Name: "episodes have their message",
		Query: `SELECT count(*) FROM memories m LEFT JOIN events e ON e.seq = m.event_seq
			WHERE m.kind = 'episode' AND (e.seq IS NULL OR e.user_id <> m.user_id)`,
		Found: "episodes whose message is not in the journal",
	},
	{
		Name: "messages have their episode",
		Query: `SELECT count(*) FROM events e WHERE e.topic IN ('user.message', 'agent.response', 'tool.result')
			AND e.seq NOT IN (SELECT event_seq FROM memories WHERE event_seq IS NOT NULL)`, // read once: there is no index
		Found: "messages in the journal that were not remembered",
	},
	{
		Name:  "numbers of the text",
		Query: "SELECT count(*) FROM users WHERE chunk_floor <> 0 AND chunk_floor >> 32 <> id",
		Found: "users whose next text would be filed under another user",
	},
	{
		Name: "versions", Query: `SELECT (SELECT count(*) FROM blocks WHERE version NOT BETWEEN 1 AND 1 << 20)
			+ (SELECT count(*) FROM memories WHERE version < 1) + (SELECT count(*) FROM leases WHERE term < 0)`,
		Found: "rows with a version that there never was",
	},
	{
		Name: "proposals", Query: `SELECT count(*) FROM proposals p WHERE p.state = 'pending' AND CASE WHEN json_valid(p.payload) THEN
			coalesce(json_extract(p.payload, '$.memory_id'), json_extract(p.payload, '$.message'), json_extract(p.payload, '$.from'),
				json_extract(p.payload, '$.earlier'), json_extract(p.payload, '$.block')) IS NULL
				AND NOT coalesce(p.kind = 'memory' AND json_extract(p.payload, '$.content') <> '' OR CAST(json_extract(p.payload, '$.tokens') AS text) > '0'
					OR CAST(json_extract(p.payload, '$.granted.tokens') AS text) > '0', false)
			OR p.kind IN ('correct', '` + schema.KindProtect + `') AND NOT coalesce(json_extract(p.payload, '$.content') <> '', false)
			OR p.kind = 'correct' AND NOT coalesce(json_extract(p.payload, '$.new_content') <> '', false)
			OR EXISTS (SELECT 1 FROM memories m WHERE m.uid = json_extract(p.payload, '$.memory_id') AND m.content <> json_extract(p.payload, '$.content'))
			OR ` + absent("memories", "memory_id", "message", "earlier", "later") + ` OR ` + absent("entities", "from", "into") + ` ELSE false END`,
		Found: "proposals that do not say what they are about, or are about what this user does not have, or about what it does not say",
	},
	{
		Name: "versions of blocks",
		Query: `SELECT count(*) FROM blocks b WHERE b.version <> (SELECT count(*) FROM block_history h WHERE h.block_id = b.id)
			OR NOT EXISTS (SELECT 1 FROM block_history h WHERE h.block_id = b.id AND h.version = b.version AND h.content = b.content AND h.trust = b.trust)`,
		Found: "blocks whose history misses a version, or ends with something else than the block holds",
	},
	{
		Name: "order of the text", Query: MisplacedText,
		Found: "pieces of text before that of an older memory", Derived: true,
	},
	{
		Name:  "mention counts",
		Query: "SELECT count(*) FROM (" + schema.MiscountedEntities + ") AS miscounted",
		Found: "entities that are mentioned more or less often than they say", Derived: true,
	},
	{
		Name: "replaced claims",
		Query: `SELECT count(*) FROM memories m LEFT JOIN memories n ON n.id = m.superseded_by
			WHERE m.state <> 'forgotten' AND (m.state = 'superseded') <> (m.superseded_by IS NOT NULL) OR n.user_id <> m.user_id`,
		Found: "claims whose state and replacement disagree",
	},
}

// absent is a condition on a proposal p: one of the fields of its payload is the id of
// a row that its user does not have in the table.
func absent(table string, fields ...string) string {
	var conditions []string
	for _, f := range fields {
		id := "json_extract(p.payload, '$." + f + "')"
		conditions = append(conditions, "("+id+" <> '' AND NOT EXISTS (SELECT 1 FROM "+table+" r WHERE r.user_id = p.user_id AND r.uid = "+id+"))")
	}
	return strings.Join(conditions, " OR ")
}
