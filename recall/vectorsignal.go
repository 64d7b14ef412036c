package recall

// similar is what the vector arm found out about one search: how like the
// query any memory is, and what likeness is usual.
type similar struct {
	usual   usual
	top     float64 // the best cosine
	cosine  func(memory int64) (float32, bool)
	release func()
}

func newSimilar(u usual, found []near, cosine func(int64) (float32, bool), release func()) *similar {
	s := &similar{usual: u, cosine: cosine, release: release}
	if len(found) > 0 {
		s.top = float64(found[0].cosine)
	}
	return s
}

// done gives back what the arm holds on to.
func (s *similar) done() {
	if s != nil {
		s.release()
	}
}

// signal sets the vector signal of every candidate that has a vector. Nil
// leaves it at 0.
func (s *similar) signal(candidates []scored) {
	if s == nil || s.top <= s.usual.mean {
		return
	}
	for i := range candidates {
		if c, ok := s.cosine(candidates[i].memoryID); ok {
			candidates[i].signals.Vector = s.of(float64(c))
		}
	}
}

// of maps a cosine to 0–1: 0 for what is usual, 1 for the best.
func (s *similar) of(cosine float64) float64 {
	return min(1, max(0, (cosine-s.usual.mean)/(s.top-s.usual.mean)))
}
