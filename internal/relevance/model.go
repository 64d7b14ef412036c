// Package relevance rates how much a question needs each of the lines that say what a user
// has said of themselves. Its model is small, and fitted to the questions of invented lives
// and people by
//
//	cd benchmarks && go run ./fit lines
package relevance

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"math"

	"github.com/ebbmem/ebb/internal/topics"
)

// A Model rates a line for a question:
//
//	linear·x + Σ out · tanh(weights·x + bias) + q · l
//
// x are the features of the line. q and l are the vectors of the question and of the line, by
// their topics and concepts. They learned from examples what no list has: that a search for a
// restaurant needs what a line says of nuts. A Model is safe for concurrent use.
type Model struct {
	Linear [Features]float32
	Hidden [Units]Unit

	Questions, Lines Table
}

const (
	Features = 19 // of a line
	Units    = 16
	Dims     = 16 // of a [Vector]
)

// A Unit is one of the hidden units.
type Unit struct {
	Weights   [Features]float32
	Bias, Out float32
}

// A Table has a vector for each topic and concept, by code.
type Table []Vector

// A Vector is the weighted sum of those of a text's topics and concepts.
type Vector [Dims]float32

//go:embed lines.bin
var lines []byte

// Fitted is the model in use.
var Fitted = Load(lines)

// head is the length of a model's file before its tables.
const head = 4 * (2 + Features + Units*(Features+2) + 2)

// Load reads what [Model.Encode] returns. Another file gives a model that rates everything 0.
func Load(file []byte) *Model {
	m := new(Model)
	if len(file) < head || len(file) != head+2*Dims*int(binary.LittleEndian.Uint32(file)) {
		return m
	}
	numbers := bytes.NewReader(file[2*4:])
	var steps [2]float32
	for _, part := range []any{&m.Linear, &m.Hidden, &steps} {
		if err := binary.Read(numbers, binary.LittleEndian, part); err != nil {
			return new(Model)
		}
	}
	file = file[head:]
	for i, t := range []*Table{&m.Questions, &m.Lines} {
		*t = make(Table, len(file)/Dims/(2-i))
		for code := range *t {
			for d := range Dims {
				(*t)[code][d] = steps[i] * float32(int8(file[d]))
			}
			file = file[Dims:]
		}
	}
	return m
}

// Encode returns the model as a file, all in little endian: the number of codes and the
// checksum of the topics that it is for, both as uint32, the weights and the steps of the
// tables as float32, and the tables as one signed byte for each number, in steps.
func (m *Model) Encode(checksum uint32) []byte {
	var steps [2]float32
	tables := make([]int8, 0, 2*Dims*len(m.Questions))
	for i, t := range []Table{m.Questions, m.Lines} {
		for _, v := range t {
			for _, x := range v {
				steps[i] = max(steps[i], x/math.MaxInt8, -x/math.MaxInt8)
			}
		}
		for _, v := range t {
			for _, x := range v {
				tables = append(tables, int8(math.Round(float64(x/max(steps[i], math.SmallestNonzeroFloat32)))))
			}
		}
	}
	var file bytes.Buffer
	for _, part := range []any{uint32(len(m.Questions)), checksum, m.Linear, m.Hidden, steps, tables} {
		if err := binary.Write(&file, binary.LittleEndian, part); err != nil {
			panic(err) // all have a fixed size
		}
	}
	return file.Bytes()
}

// Of returns the vector of a text.
func (t Table) Of(text topics.Set) (v Vector) {
	var square float32
	for code, weight := range text.Weights() {
		if int(code) >= len(t) {
			continue
		}
		for d, x := range t[code] {
			v[d] += weight * x
		}
		square += weight * weight
	}
	scale := Scale(square)
	for d := range v {
		v[d] *= scale
	}
	return v
}

// Scale is what the sum of a text's vectors is multiplied by, given the sum of its squared
// weights: so that a faint topic counts less than one that the text is about.
func Scale(squares float32) float32 { return float32(1 / math.Sqrt(float64(squares)+0.3)) }

// Add adds a share of another vector.
func (v *Vector) Add(other Vector, share float32) {
	for d, x := range other {
		v[d] += share * x
	}
}

// Dot returns the product of two vectors.
func (v *Vector) Dot(other *Vector) (sum float32) {
	for d := range v {
		sum += v[d] * other[d]
	}
	return sum
}

// Rate returns the score of a line with some features, for a question.
func (m *Model) Rate(x *[Features]float32, question, line *Vector) float32 {
	score := question.Dot(line)
	for i := range x {
		score += m.Linear[i] * x[i]
	}
	for h := range m.Hidden {
		u := &m.Hidden[h]
		score += u.Out * float32(math.Tanh(float64(u.Sum(x))))
	}
	return score
}

// Sum returns the input of a unit.
func (u *Unit) Sum(x *[Features]float32) float32 {
	sum := u.Bias
	for i := range x {
		sum += u.Weights[i] * x[i]
	}
	return sum
}
