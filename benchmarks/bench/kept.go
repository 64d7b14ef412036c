package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/vecstore"
)

// readKept reads the vectors of every memory in the folder, all users together, and
// those of the questions beside them, in the form that ./embedder --keep writes.
func readKept(ctx context.Context, dir string) (stored, queries [][]float32, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.db"))
	if err != nil {
		return nil, nil, err
	}
	if len(files) == 0 {
		return nil, nil, fmt.Errorf("--vectors: no memories in %s", dir)
	}
	for _, file := range files {
		some, err := readVectors(ctx, file)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", file, err)
		}
		stored = append(stored, some...)
		raw, err := os.ReadFile(strings.TrimSuffix(file, ".db") + ".questions.json")
		if err != nil {
			return nil, nil, err
		}
		var asked [][]float32
		if err := json.Unmarshal(raw, &asked); err != nil {
			return nil, nil, err
		}
		for _, q := range asked {
			queries = append(queries, unit(q))
		}
	}
	return stored, queries, nil
}

func readVectors(ctx context.Context, file string) (all [][]float32, err error) {
	db, err := schema.Open(ctx, file, &schema.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		g, err := vecstore.ServingGeneration(ctx, s)
		if err != nil {
			return err
		}
		if g == nil {
			return errors.New("holds no vectors")
		}
		users, err := vecstore.LastChunks(ctx, s)
		if err != nil {
			return err
		}
		for _, user := range slices.Sorted(maps.Keys(users)) {
			err := vecstore.VectorsAfter(ctx, s, user, g.ID, 0, func(v vecstore.ChunkVector) error {
				all = append(all, slices.Clone([]float32(v.Vector)))
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return all, err
}
