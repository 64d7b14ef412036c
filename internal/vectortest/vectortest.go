// Package vectortest makes embedding vectors for tests and benchmarks.
package vectortest

import (
	"math"
	"math/rand/v2"
)

// Clustered returns vectors of length 1, shuffled: each of so many around each
// of some centres that share a direction, as the vectors of real encoders do.
func Clustered(random *rand.Rand, clusters, each, dims int) [][]float32 {
	normal := func(scale float64) []float32 {
		v := make([]float32, dims)
		for i := range v {
			v[i] = float32(scale * random.NormFloat64())
		}
		return v
	}
	shared := normal(1)
	var all [][]float32
	for range clusters {
		centre := normal(1)
		for range each {
			v := normal(0.35)
			for i := range v {
				v[i] += centre[i] + shared[i]
			}
			Normalize(v)
			all = append(all, v)
		}
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// Normalize scales v to length 1.
func Normalize(v []float32) {
	squares := 0.0
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	length := math.Sqrt(squares)
	for i := range v {
		v[i] = float32(float64(v[i]) / length)
	}
}

// Overlap returns which share of the places wanted is among those found.
func Overlap(found, wanted []uint32) float64 {
	in := make(map[uint32]bool, len(found))
	for _, place := range found {
		in[place] = true
	}
	hits := 0
	for _, place := range wanted {
		if in[place] {
			hits++
		}
	}
	return float64(hits) / float64(len(wanted))
}
