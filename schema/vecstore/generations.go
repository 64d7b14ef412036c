// Package vecstore stores the vectors of chunks by generation: one generation for each
// model and size, of which one serves searches.
package vecstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/ebbmem/ebb/internal/engine"
	"github.com/ebbmem/ebb/schema"
)

// GenerationState is the state of a generation of vectors.
type GenerationState string

// The states of a generation, in the order it passes through them.
const (
	GenerationBuilding GenerationState = "building" // beside the serving one
	GenerationServing  GenerationState = "serving"  // used by searches; at most one
	GenerationRetired  GenerationState = "retired"  // to be deleted
)

// Generation is the set of vectors of one embedding model and size. Vectors of different
// generations are never compared.
type Generation struct {
	bun.BaseModel `bun:"table:embedding_generations"`

	ID          int64           `bun:",pk,autoincrement" json:"-"`
	Model       string          `bun:",notnull" json:"model"`
	Dims        int             `bun:",notnull" json:"dims"`
	State       GenerationState `bun:",notnull" json:"state"`
	CreatedAt   schema.Time     `bun:",notnull" json:"created_at"`
	ActivatedAt schema.Time     `json:"activated_at,omitzero"`
}

// Generations lists all generations, oldest first.
func Generations(ctx context.Context, s *schema.Snapshot) ([]Generation, error) {
	var all []Generation
	err := s.NewSelect().Model(&all).Order("id").Scan(ctx)
	return all, err
}

// GenerationsOf lists the generations in which a memory has a vector, oldest
// first.
func GenerationsOf(ctx context.Context, s *schema.Snapshot, memoryID int64) ([]Generation, error) {
	var all []Generation
	err := s.NewSelect().Model(&all).Where("id IN (SELECT v.generation FROM vectors v JOIN chunks c ON c.id = v.chunk_id WHERE c.memory_id = ?)", memoryID).
		Where("state <> 'retired'").Order("id").Scan(ctx)
	return all, err
}

// ServingGeneration returns the generation that searches use, nil if there is none yet.
//
// Errors: [schema.ErrCorrupt] for a size that is impossible.
func ServingGeneration(ctx context.Context, s *schema.Snapshot) (*Generation, error) {
	g := Generation{State: GenerationServing}
	err := s.Row(ctx, "SELECT id, model, dims, created_at, activated_at FROM embedding_generations WHERE state = 'serving'",
		nil, &g.ID, &g.Model, &g.Dims, &g.CreatedAt, &g.ActivatedAt)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &g, g.known()
}

// maxDims is more than any embedding model has.
const maxDims = 1 << 16

// known validates the stored size before memory is allocated by it.
func (g *Generation) known() error {
	if g.Dims <= 0 || g.Dims > maxDims {
		return fmt.Errorf("%w: a generation of vectors has %d dimensions", schema.ErrCorrupt, g.Dims)
	}
	return nil
}

func generationByID(ctx context.Context, tx *schema.Tx, id int64) (*Generation, error) {
	g := Generation{ID: id}
	err := tx.Row(ctx, "SELECT model, dims, state FROM embedding_generations WHERE id = ?", []any{id}, &g.Model, &g.Dims, &g.State)
	if errors.Is(err, sql.ErrNoRows) || err == nil && g.State == GenerationRetired {
		return nil, fmt.Errorf("generation %d of vectors: %w", id, schema.ErrNotFound)
	}
	return &g, err
}

// OpenGeneration returns the generation of a model and size, or creates it: serving if
// there is no other, else building. It retires a building generation of another model
// or size.
//
// Errors: [*schema.InvalidError] for an empty model or a size below 1 or above 65536.
func OpenGeneration(ctx context.Context, tx *schema.Tx, model string, dims int) (*Generation, error) {
	if model == "" {
		return nil, &schema.InvalidError{Field: "model", Reason: "is empty; vectors are kept apart by their model's name"}
	}
	if err := schema.ValidLabel("model", model); err != nil {
		return nil, err
	}
	if dims <= 0 || dims > maxDims {
		return nil, &schema.InvalidError{Field: "dims", Reason: fmt.Sprintf("must be from 1 to %d", maxDims)}
	}
	_, err := tx.Exec(ctx, "UPDATE embedding_generations SET state = 'retired' WHERE state = 'building' AND (model <> ? OR dims <> ?)", model, dims)
	if err != nil {
		return nil, err
	}
	g := new(Generation)
	err = tx.NewSelect().Model(g).Where("model = ? AND dims = ? AND state <> 'retired'", model, dims).
		Order("id DESC").Limit(1).Scan(ctx)
	if err == nil || !errors.Is(err, sql.ErrNoRows) {
		return g, err
	}
	var serving bool
	if err := tx.Row(ctx, "SELECT EXISTS (SELECT 1 FROM embedding_generations WHERE state = 'serving')", nil, &serving); err != nil {
		return nil, err
	}
	*g = Generation{Model: model, Dims: dims, State: GenerationBuilding, CreatedAt: schema.At(tx.Now)}
	if !serving {
		g.State, g.ActivatedAt = GenerationServing, g.CreatedAt
	}
	_, err = tx.NewInsert().Model(g).ExcludeColumn("id").Returning("id").Exec(ctx)
	return g, err
}

// ActivateGeneration makes a generation the serving one and retires the previous one.
// Activating the serving generation changes nothing.
//
// Errors: [schema.ErrNotFound] if it does not exist or is retired.
func ActivateGeneration(ctx context.Context, tx *schema.Tx, id int64) error {
	g, err := generationByID(ctx, tx, id)
	if err != nil || g.State == GenerationServing {
		return err
	}
	if _, err := tx.Exec(ctx, "UPDATE embedding_generations SET state = 'retired' WHERE state = 'serving'"); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "UPDATE embedding_generations SET state = 'serving', activated_at = ? WHERE id = ?", tx.Now.UnixMilli(), id)
	return err
}

// DropRetired deletes at most limit vectors of retired generations, and the generations
// once they are empty. more reports that vectors are left: one transaction for all
// would be too large.
func DropRetired(ctx context.Context, tx *schema.Tx, limit int) (more bool, err error) {
	n, err := engine.Affected(tx.Exec(ctx, `DELETE FROM vectors WHERE id IN (SELECT v.id FROM vectors v
		WHERE v.generation IN (SELECT id FROM embedding_generations WHERE state = 'retired') LIMIT ?)`, limit))
	if err != nil || n == int64(limit) {
		return err == nil, err
	}
	_, err = tx.Exec(ctx, "DELETE FROM embedding_generations WHERE state = 'retired'")
	return false, err
}

// Embedded counts the chunks with and without a vector of a generation.
type Embedded struct {
	Chunks  int64       // in all
	Pending int64       // without a vector
	Since   schema.Time // when the oldest memory among those was stored; zero without any
}

// EmbeddedOf counts one user's chunks with and without a vector of a generation.
func EmbeddedOf(ctx context.Context, s *schema.Snapshot, userID, generation int64) (Embedded, error) {
	var e Embedded
	first, last := schema.ChunkRange(userID)
	err := s.Row(ctx, `SELECT count(*), count(*) - count(v.id), min(CASE WHEN v.id IS NULL THEN m.created_at END)
		FROM chunks c JOIN memories m ON m.id = c.memory_id LEFT JOIN vectors v ON v.chunk_id = c.id AND v.generation = ?
		WHERE c.id BETWEEN ? AND ?`, []any{generation, first, last}, &e.Chunks, &e.Pending, &e.Since)
	return e, err
}

// EmbeddedInAll counts the chunks of all users with and without a vector of a
// generation. Generation 0 stands for none.
func EmbeddedInAll(ctx context.Context, s *schema.Snapshot, generation int64) (Embedded, error) {
	var e Embedded
	err := s.Row(ctx, `SELECT (SELECT count(*) FROM chunks),
		(SELECT count(*) FROM chunks) - (SELECT count(*) FROM vectors WHERE generation = ?)`, []any{generation}, &e.Chunks, &e.Pending)
	if err != nil || e.Pending == 0 {
		return e, err
	}
	err = s.Row(ctx, `SELECT min(m.created_at) FROM chunks c JOIN memories m ON m.id = c.memory_id
		WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.chunk_id = c.id AND v.generation = ?)`, []any{generation}, &e.Since)
	return e, err
}
