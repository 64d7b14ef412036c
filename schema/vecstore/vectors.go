package vecstore

import (
	"cmp"
	"context"
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/ebbmem/ebb/internal/engine"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// Vector is the embedding of a text. The database stores it as a BLOB of little-endian
// float32.
type Vector []float32

// Value implements [driver.Valuer]. A vector without numbers is an error.
func (v Vector) Value() (driver.Value, error) {
	if len(v) == 0 {
		return nil, &schema.InvalidError{Field: "vector", Reason: "is empty"}
	}
	return v.appendTo(make([]byte, 0, 4*len(v))), nil
}

func (v Vector) appendTo(b []byte) []byte {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// Scan implements [database/sql.Scanner]. It reuses v's memory if that is large enough.
func (v *Vector) Scan(src any) error {
	b, ok := src.([]byte)
	if !ok {
		return fmt.Errorf("schema.Vector: cannot read %T, want a BLOB", src)
	}
	if len(b) == 0 || len(b)%4 != 0 {
		return fmt.Errorf("schema.Vector: a BLOB of %d bytes is no list of float32", len(b))
	}
	out := slices.Grow((*v)[:0], len(b)/4)[:len(b)/4]
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	*v = out
	return nil
}

// Unit returns a new vector of the first dims numbers (0 means all), scaled to length 1.
// Truncation is for models trained for it (Kusupati et al. 2022, Matryoshka
// representation learning).
//
// Errors: [*schema.InvalidError] for fewer than dims numbers, NaN, Inf, and a zero vector.
func (v Vector) Unit(dims int) (Vector, error) {
	dims = cmp.Or(dims, len(v))
	if len(v) == 0 || len(v) < dims {
		return nil, &schema.InvalidError{Field: "vector", Reason: fmt.Sprintf("has %d numbers, want %d", len(v), max(dims, 1))}
	}
	var sum float64
	for i, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return nil, &schema.InvalidError{Field: "vector", Reason: fmt.Sprintf("holds %v at %d; an embedding is of finite numbers", x, i)}
		}
		if i < dims {
			sum += float64(x) * float64(x)
		}
	}
	if sum == 0 {
		return nil, &schema.InvalidError{Field: "vector", Reason: "is all zero; it has no direction to compare"}
	}
	unit := make(Vector, dims)
	for i := range unit {
		unit[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return unit, nil
}

// ChunkVector is the embedding of one chunk.
type ChunkVector struct {
	ID       int64 // ascending in order of insertion, across users and generations
	ChunkID  int64
	MemoryID int64
	Vector   Vector
}

// LastVector returns the id of the user's newest vector in any generation, 0 for none. An
// index in memory compares it with what it has read.
func LastVector(ctx context.Context, s *schema.Snapshot, userID int64) (id int64, err error) {
	err = s.Row(ctx, "SELECT coalesce(max(id), 0) FROM vectors WHERE user_id = ?", []any{userID}, &id)
	return id, err
}

// VectorsAfter calls visit for each of the user's vectors of a generation with an id
// greater than after, in order, until visit returns an error. The vector is valid until
// visit returns, and visit must not read from s.
func VectorsAfter(ctx context.Context, s *schema.Snapshot, userID, generation, after int64, visit func(ChunkVector) error) error {
	return s.Rows(ctx, `SELECT v.id, v.chunk_id, c.memory_id, v.vector FROM vectors v JOIN chunks c ON c.id = v.chunk_id
		WHERE v.user_id = ? AND v.id > ? AND +v.generation = ? ORDER BY v.id`, func(rows *engine.Rows) error {
		rows.Many()
		if err := rows.Start(userID, after, generation); err != nil {
			return err
		}
		var v ChunkVector
		for rows.Next() {
			v.ID, v.ChunkID, v.MemoryID = rows.Int64(0), rows.Int64(1), rows.Int64(2)
			blob := rows.RawBlob(3)
			if rows.Err() != nil {
				break
			}
			if err := v.Vector.Scan(blob); err != nil {
				return err
			}
			if err := visit(v); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

// VectorsByID calls visit for each existing vector of the given ids, in their order,
// until visit returns an error. The vector is valid until visit returns, and visit must
// not read from s.
func VectorsByID(ctx context.Context, s *schema.Snapshot, ids []int64, visit func(id int64, v Vector) error) error {
	if s.OnServer() {
		return vectorsTogether(ctx, s, ids, visit)
	}
	return s.Rows(ctx, "SELECT vector FROM vectors WHERE id = ?", func(rows *engine.Rows) error {
		var v Vector
		for _, id := range ids {
			if err := rows.Start(id); err != nil {
				return err
			}
			if rows.Next() {
				if blob := rows.RawBlob(0); rows.Err() == nil {
					if err := v.Scan(blob); err != nil {
						return err
					}
					if err := visit(id, v); err != nil {
						return err
					}
				}
			}
			if err := rows.Err(); err != nil {
				return err
			}
		}
		return nil
	})
}

// vectorsTogether is [VectorsByID] in one statement, for a server.
func vectorsTogether(ctx context.Context, s *schema.Snapshot, ids []int64, visit func(id int64, v Vector) error) error {
	found := make(map[int64]Vector, len(ids))
	var id int64
	var v Vector
	err := schema.Each(ctx, s.Query, []any{&id, &v}, func() error {
		found[id] = slices.Clone(v)
		return nil
	}, "SELECT id, vector FROM vectors WHERE id = ANY (ebb_list(?))", schema.JSONList(ids))
	for _, id := range ids {
		if v := found[id]; v != nil && err == nil {
			err = visit(id, v)
		}
	}
	return err
}

// VectorsOf calls visit for each vector of a generation that belongs to one of the given
// memories, in no order, until visit returns an error. visit may keep the vector.
func VectorsOf(ctx context.Context, s *schema.Snapshot, generation int64, memories []int64, visit func(memoryID int64, v Vector) error) error {
	var id int64
	var v Vector
	return schema.Each(ctx, s.Query, []any{&id, &v}, func() error { return visit(id, slices.Clone(v)) },
		`SELECT c.memory_id, v.vector FROM json_each(?) j CROSS JOIN chunks c ON c.memory_id = CAST(j.value AS BIGINT)
			CROSS JOIN vectors v ON v.chunk_id = c.id AND v.generation = ?`, schema.JSONList(memories), generation)
}

// PendingChunk is a chunk without a vector of a generation.
type PendingChunk struct {
	ID       int64
	UserID   int64
	MemoryID int64
	Text     string // the piece of the memory's content, verbatim
}

// LastChunks returns the id of each user's last chunk, by user. Users without chunks are
// left out.
func LastChunks(ctx context.Context, s *schema.Snapshot) (map[int64]int64, error) {
	last := make(map[int64]int64)
	var user, chunk int64
	err := schema.Each(ctx, s.Query, []any{&user, &chunk}, func() error {
		last[user] = chunk
		return nil
	}, `SELECT id, last FROM (SELECT u.id,
			(SELECT max(c.id) FROM chunks c WHERE c.id BETWEEN u.id << CAST(?1 AS INT) AND ((u.id + 1) << CAST(?1 AS INT)) - 1) AS last FROM users u) AS ends
		WHERE last IS NOT NULL`, schema.ChunkBits)
	return last, err
}

// PendingChunks returns the first limit chunks of a user above an id that have no vector
// of a generation, in order. Generation 0 stands for none.
//
// It reads the chunk ids of vectors from an index; since ids are consecutive, the gaps
// are the pending chunks.
func PendingChunks(ctx context.Context, s *schema.Snapshot, userID, generation, after int64, limit int) (pending []PendingChunk, err error) {
	first, last := schema.ChunkRange(userID)
	err = s.Statements(ctx, func(p *engine.Statements) error {
		embedded, done, err := p.Rows(embeddedChunks)
		if err != nil {
			return err
		}
		defer done()
		next := max(first, after+1)
		if err := embedded.Start(next, last, generation); err != nil {
			return err
		}
		for more := true; more && len(pending) < limit; {
			before := last + 1
			if more = embedded.Next(); more {
				before = embedded.Int64(0)
			} else if err := embedded.Err(); err != nil {
				return err
			}
			if next < before {
				if pending, err = appendPending(p, pending, userID, next, before-1, limit-len(pending)); err != nil {
					return err
				}
			}
			next = before + 1
		}
		return nil
	})
	return pending, err
}

// embeddedChunks selects the chunks of a range with a vector of a generation, in order.
const embeddedChunks = "SELECT chunk_id FROM vectors WHERE chunk_id BETWEEN ? AND ? AND +generation = ? ORDER BY chunk_id"

// appendPending appends the first limit chunks of a range of ids.
func appendPending(p *engine.Statements, pending []PendingChunk, userID, first, last int64, limit int) ([]PendingChunk, error) {
	rows, done, err := p.Rows(`SELECT c.id, c.memory_id, c.text, m.content,
			(SELECT count(*) FROM chunks e WHERE e.memory_id = c.memory_id AND e.id < c.id)
		FROM chunks c JOIN memories m ON m.id = c.memory_id
		WHERE c.id BETWEEN ? AND ? ORDER BY c.id LIMIT ?`)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := rows.Start(first, last, int64(limit)); err != nil {
		return nil, err
	}
	for rows.Next() {
		r := rows.Row()
		chunk := PendingChunk{UserID: userID, ID: r.Int(), MemoryID: r.Int()}
		prepared, content, number := r.Text(), r.Text(), int(r.Int())
		if r.Err() != nil {
			return nil, r.Err()
		}
		// Chunks added to a memory later are not pieces of its content.
		if chunk.Text = prepared; number == 0 && len(content) <= text.DefaultChunkRunes {
			chunk.Text = content
		} else if pieces := text.Chunks(content, 0); number < len(pieces) {
			chunk.Text = pieces[number]
		}
		pending = append(pending, chunk)
	}
	return pending, rows.Err()
}

// InsertVectors stores vectors of a generation and returns how many were new. Vectors of
// chunks that no longer exist, belong to another memory or have a vector already are
// left out.
//
// Errors: [schema.ErrNotFound] if the generation does not exist or is retired; [*schema.InvalidError]
// for a vector of another size than the generation's, or not of unit length.
func InsertVectors(ctx context.Context, tx *schema.Tx, generation int64, vectors []ChunkVector) (stored int, err error) {
	g, err := generationByID(ctx, tx, generation)
	if err != nil {
		return 0, err
	}
	for _, v := range vectors {
		if err := checkUnit(v.Vector, g.Dims); err != nil {
			return 0, err
		}
		n, err := engine.Affected(tx.Exec(ctx, `INSERT INTO vectors (user_id, chunk_id, generation, vector)
			SELECT id >> CAST(? AS INT), id, ?, ? FROM chunks WHERE id = ? AND memory_id = ?
			ON CONFLICT (chunk_id, generation) DO NOTHING`, schema.ChunkBits, generation, v.Vector, v.ChunkID, v.MemoryID))
		if err != nil {
			return 0, err
		}
		stored += int(n)
	}
	return stored, nil
}

// checkUnit returns an [*schema.InvalidError] unless v has dims numbers and unit length.
func checkUnit(v Vector, dims int) error {
	if len(v) != dims {
		return &schema.InvalidError{Field: "vector", Reason: fmt.Sprintf("has %d numbers, those of its generation have %d", len(v), dims)}
	}
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if !(math.Abs(sum-1) < 1e-3) { // NaN and Inf too
		return &schema.InvalidError{Field: "vector", Reason: fmt.Sprintf("has length %.3g; store what Unit returns", math.Sqrt(sum))}
	}
	return nil
}

// CountVectorsAfter counts a user's vectors after one of them, limit at most.
func CountVectorsAfter(ctx context.Context, s *schema.Snapshot, userID, after int64, limit int) (n int, err error) {
	err = s.Row(ctx, "SELECT count(*) FROM (SELECT 1 FROM vectors WHERE user_id = ? AND id > ? LIMIT ?) AS newer", []any{userID, after, limit}, &n)
	return n, err
}

// BadVectors returns the ids of stored vectors that are not unit vectors of their
// generation's size, or that are stored under another user.
func BadVectors(ctx context.Context, q schema.Querier) (bad []int64, err error) {
	var id int64
	var blob any
	var dims int
	var filed bool
	err = schema.Each(ctx, q.QueryContext, []any{&id, &blob, &dims, &filed}, func() error {
		var v Vector
		if !filed || v.Scan(blob) != nil || !usable(v, dims) {
			bad = append(bad, id)
		}
		return nil
	}, `SELECT v.id, v.vector, g.dims, v.user_id = v.chunk_id >> ? FROM vectors v JOIN embedding_generations g ON g.id = v.generation`, schema.ChunkBits)
	return bad, err
}

func usable(v Vector, dims int) bool {
	if len(v) != dims {
		return false
	}
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Abs(sum-1) < 1e-3
}
