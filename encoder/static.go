package encoder

import "context"

// static is a table of static embeddings: one vector per vocabulary entry, independent
// of the context (Model2Vec).
type static struct {
	rows    *tensor
	weights []float32 // weight of each entry; nil means all 1
	mapping []int32   // row of each entry; nil means the identity
	entries int
}

// maxStates bounds the vectors of a text, in values. Texts of wide vectors are shorter.
const maxStates = maxTokens << 10

// model2vecTensor holds the vectors of a Model2Vec model.
const model2vecTensor = "embeddings"

// newStatic reads the vectors from the tensor with this name.
func newStatic(weights *tensors, name string) (*static, error) {
	rows, err := weights.get(name, -1, -1)
	if err != nil {
		return nil, err
	}
	if rows.shape[1] > maxWidth {
		return nil, invalid(weights.file, "the tensor %q has vectors of %d values, more than the %d that are supported", name, rows.shape[1], maxWidth)
	}
	s := &static{rows: rows, entries: rows.shape[0]}
	if m := weights.byName["mapping"]; m != nil {
		if !m.isInteger() || len(m.shape) != 1 {
			return nil, invalid(weights.file, "the tensor mapping is not a list of integers")
		}
		s.entries = m.values()
		s.mapping = make([]int32, s.entries)
		for i := range s.mapping {
			row := m.integer(i)
			if row < 0 || row >= int64(rows.shape[0]) {
				return nil, invalid(weights.file, "the tensor mapping leads to row %d of %d", row, rows.shape[0])
			}
			s.mapping[i] = int32(row)
		}
	}
	if weights.has("weights") {
		if s.weights, err = weights.floats("weights", s.entries); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *static) dims() int     { return s.rows.shape[1] }
func (s *static) vocab() int    { return s.entries }
func (s *static) maxLen() int   { return min(maxTokens, maxStates/s.dims()) }
func (s *static) special() bool { return false }

// run calls pool with the vectors of all tokens.
func (s *static) run(_ context.Context, ids []int32, _ int, pool func(states []float32)) error {
	width := s.dims()
	states := make([]float32, len(ids)*width)
	for i, id := range ids {
		row, weight := int(id), float32(1)
		if s.mapping != nil {
			row = int(s.mapping[id])
		}
		if s.weights != nil {
			weight = s.weights[id]
		}
		state := states[i*width:][:width]
		s.rows.read(state, row*width)
		for j := range state {
			state[j] *= weight
		}
	}
	pool(states)
	return nil
}
