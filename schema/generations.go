package schema

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/uptrace/bun"
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
	CreatedAt   Time            `bun:",notnull" json:"created_at"`
	ActivatedAt Time            `json:"activated_at,omitzero"`
}

// Generations lists all generations, oldest first.
func (s *Snapshot) Generations(ctx context.Context) ([]Generation, error) {
	var all []Generation
	err := s.NewSelect().Model(&all).Order("id").Scan(ctx)
	return all, err
}

// GenerationsOf lists the generations in which a memory has a vector, oldest
// first.
func (s *Snapshot) GenerationsOf(ctx context.Context, memoryID int64) ([]Generation, error) {
	var all []Generation
	err := s.NewSelect().Model(&all).Where("id IN (SELECT v.generation FROM vectors v JOIN chunks c ON c.id = v.chunk_id WHERE c.memory_id = ?)", memoryID).
		Where("state <> 'retired'").Order("id").Scan(ctx)
	return all, err
}

// ServingGeneration returns the generation that searches use, nil if there is none yet.
//
// Errors: [ErrCorrupt] for a size that is impossible.
func (s *Snapshot) ServingGeneration(ctx context.Context) (*Generation, error) {
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
		return fmt.Errorf("%w: a generation of vectors has %d dimensions", ErrCorrupt, g.Dims)
	}
	return nil
}

func (tx *Tx) generation(ctx context.Context, id int64) (*Generation, error) {
	g := Generation{ID: id}
	err := tx.Row(ctx, "SELECT model, dims, state FROM embedding_generations WHERE id = ?", []any{id}, &g.Model, &g.Dims, &g.State)
	if errors.Is(err, sql.ErrNoRows) || err == nil && g.State == GenerationRetired {
		return nil, fmt.Errorf("generation %d of vectors: %w", id, ErrNotFound)
	}
	return &g, err
}

// OpenGeneration returns the generation of a model and size, or creates it: serving if
// there is no other, else building. It retires a building generation of another model
// or size.
//
// Errors: [*InvalidError] for an empty model or a size below 1 or above 65536.
func (tx *Tx) OpenGeneration(ctx context.Context, model string, dims int) (*Generation, error) {
	if model == "" {
		return nil, &InvalidError{Field: "model", Reason: "is empty; vectors are kept apart by their model's name"}
	}
	if err := ValidLabel("model", model); err != nil {
		return nil, err
	}
	if dims <= 0 || dims > maxDims {
		return nil, &InvalidError{Field: "dims", Reason: fmt.Sprintf("must be from 1 to %d", maxDims)}
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
	*g = Generation{Model: model, Dims: dims, State: GenerationBuilding, CreatedAt: At(tx.Now)}
	if !serving {
		g.State, g.ActivatedAt = GenerationServing, g.CreatedAt
	}
	_, err = tx.NewInsert().Model(g).ExcludeColumn("id").Returning("id").Exec(ctx)
	return g, err
}

// ActivateGeneration makes a generation the serving one and retires the previous one.
// Activating the serving generation changes nothing.
//
// Errors: [ErrNotFound] if it does not exist or is retired.
func (tx *Tx) ActivateGeneration(ctx context.Context, id int64) error {
	g, err := tx.generation(ctx, id)
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
func (tx *Tx) DropRetired(ctx context.Context, limit int) (more bool, err error) {
	res, err := tx.Exec(ctx, `DELETE FROM vectors WHERE id IN (SELECT v.id FROM vectors v
		WHERE v.generation IN (SELECT id FROM embedding_generations WHERE state = 'retired') LIMIT ?)`, limit)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	if err != nil || n == int64(limit) {
		return err == nil, err
	}
	_, err = tx.Exec(ctx, "DELETE FROM embedding_generations WHERE state = 'retired'")
	return false, err
}

// Embedded counts the chunks with and without a vector of a generation.
type Embedded struct {
	Chunks  int64 // in all
	Pending int64 // without a vector
	Since   Time  // when the oldest memory among those was stored; zero without any
}

// EmbeddedOf counts one user's chunks with and without a vector of a generation.
func (s *Snapshot) EmbeddedOf(ctx context.Context, userID, generation int64) (Embedded, error) {
	var e Embedded
	first, last := ChunkRange(userID)
	err := s.Row(ctx, `SELECT count(*), count(*) - count(v.id), min(CASE WHEN v.id IS NULL THEN m.created_at END)
		FROM chunks c JOIN memories m ON m.id = c.memory_id LEFT JOIN vectors v ON v.chunk_id = c.id AND v.generation = ?
		WHERE c.id BETWEEN ? AND ?`, []any{generation, first, last}, &e.Chunks, &e.Pending, &e.Since)
	return e, err
}

// Embedded counts the chunks of all users with and without a vector of a generation.
// Generation 0 stands for none.
func (s *Snapshot) Embedded(ctx context.Context, generation int64) (Embedded, error) {
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
