package encoder

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
)

const (
	maxWeights      = 4 << 30  // bytes of a weights file
	maxHeader       = 16 << 20 // bytes of its header
	maxTensors      = 1 << 16
	maxTensorDims   = 8
	maxTensorValues = 1 << 31
)

// elementSizes are the element types of tensors that can be read, in bytes.
var elementSizes = map[string]int64{"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I8": 1}

// tensor is an array in a weights file, row by row and little-endian.
type tensor struct {
	kind  string // a key of elementSizes
	shape []int
	data  []byte
}

// values returns the number of elements.
func (t *tensor) values() int { return len(t.data) / int(elementSizes[t.kind]) }

// read fills values with the elements that start at index from.
func (t *tensor) read(values []float32, from int) {
	size := int(elementSizes[t.kind])
	data := t.data[from*size:][:len(values)*size]
	switch t.kind {
	case "F32":
		for i := range values {
			values[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
	case "F64":
		for i := range values {
			values[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:])))
		}
	case "I8": // quantised vectors, without their scale, which does not affect the cosine
		for i := range values {
			values[i] = float32(int8(data[i]))
		}
	case "BF16":
		for i := range values {
			values[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(data[2*i:])) << 16)
		}
	case "F16":
		for i := range values {
			values[i] = halfToFloat(binary.LittleEndian.Uint16(data[2*i:]))
		}
	}
}

// floats returns all elements.
func (t *tensor) floats() []float32 {
	values := make([]float32, t.values())
	t.read(values, 0)
	return values
}

// integer returns element i of a tensor of integers.
func (t *tensor) integer(i int) int64 {
	if t.kind == "I64" {
		return int64(binary.LittleEndian.Uint64(t.data[8*i:]))
	}
	return int64(int32(binary.LittleEndian.Uint32(t.data[4*i:])))
}

func (t *tensor) isInteger() bool { return t.kind == "I64" || t.kind == "I32" }

// halfToFloat converts an IEEE 754 half-precision number.
func halfToFloat(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10)&31, uint32(h)&1023
	switch exponent {
	case 31: // infinity or NaN
		return math.Float32frombits(sign | 255<<23 | fraction<<13)
	case 0: // zero or subnormal
		f := float32(fraction) / (1 << 24)
		return math.Float32frombits(sign | math.Float32bits(f))
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}

// tensors are the arrays of a weights file by name.
type tensors struct {
	file   string
	byName map[string]*tensor
}

// readSafetensors reads a file of size bytes in the safetensors format: the length of
// the header as 8 bytes, the header in JSON, the data.
func readSafetensors(file string, r io.Reader, size int64) (*tensors, error) {
	if size > maxWeights || size > math.MaxInt {
		return nil, invalid(file, "%d bytes are more than the %d that are supported", size, int64(maxWeights))
	}
	var length [8]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, &InvalidError{File: file, Problem: "cut short", Err: err}
	}
	n := binary.LittleEndian.Uint64(length[:])
	if size < 8 || n > maxHeader || int64(n) > size-8 {
		return nil, invalid(file, "the header claims %d bytes of a file of %d", n, size)
	}
	header := make([]byte, n)
	if _, err := io.ReadFull(r, header); err != nil {
		return nil, &InvalidError{File: file, Problem: "cut short", Err: err}
	}
	data := make([]byte, size-8-int64(n))
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, &InvalidError{File: file, Problem: "cut short", Err: err}
	}
	return parseSafetensors(file, header, data)
}

// parseSafetensors finds the arrays that header describes in data. A tensor of
// an element type that is not supported is an error only when it is used.
func parseSafetensors(file string, header, data []byte) (*tensors, error) {
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(header, &entries); err != nil {
		return nil, &InvalidError{File: file, Problem: "the header is not JSON", Err: err}
	}
	if len(entries) > maxTensors {
		return nil, invalid(file, "%d tensors are more than the %d that are supported", len(entries), maxTensors)
	}
	all := &tensors{file: file, byName: make(map[string]*tensor, len(entries))}
	places := make([][2]int64, 0, len(entries))
	for name, entry := range entries {
		if name == "__metadata__" {
			continue
		}
		var e struct {
			Kind    string   `json:"dtype"`
			Shape   []int64  `json:"shape"`
			Offsets [2]int64 `json:"data_offsets"`
		}
		if err := json.NewDecoder(bytes.NewReader(entry)).Decode(&e); err != nil {
			return nil, &InvalidError{File: file, Problem: fmt.Sprintf("tensor %.80q is not described", name), Err: err}
		}
		from, to := e.Offsets[0], e.Offsets[1]
		if from < 0 || to < from || to > int64(len(data)) {
			return nil, invalid(file, "tensor %.80q lies at %d to %d of %d bytes", name, from, to, len(data))
		}
		if len(e.Shape) > maxTensorDims {
			return nil, invalid(file, "tensor %.80q has %d dimensions", name, len(e.Shape))
		}
		t := &tensor{kind: e.Kind, data: data[from:to]}
		values := int64(1)
		for _, n := range e.Shape {
			if n < 0 || n > maxTensorValues || n > 0 && values > maxTensorValues/n {
				return nil, invalid(file, "tensor %.80q has an impossible shape", name)
			}
			values *= n
			t.shape = append(t.shape, int(n))
		}
		if each, known := elementSizes[e.Kind]; known && values*each != to-from {
			return nil, invalid(file, "tensor %.80q has %d values in %d bytes", name, values, to-from)
		}
		all.byName[name] = t
		places = append(places, e.Offsets)
	}
	// A small file whose tensors share bytes could take any amount of memory.
	slices.SortFunc(places, func(a, b [2]int64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	for i := 1; i < len(places); i++ {
		if places[i][0] < places[i-1][1] {
			return nil, invalid(file, "tensors overlap at %d", places[i][0])
		}
	}
	return all, nil
}

// has reports whether the file contains a tensor of this name.
func (s *tensors) has(name string) bool { return s.byName[name] != nil }

// get returns the tensor with this name and shape. -1 in the shape matches any
// number of at least 1. Its elements can be read as floats.
func (s *tensors) get(name string, shape ...int) (*tensor, error) {
	t := s.byName[name]
	if t == nil {
		return nil, invalid(s.file, "there is no tensor %q", name)
	}
	if elementSizes[t.kind] == 0 || t.isInteger() {
		return nil, invalid(s.file, "tensor %q has elements of type %.20q; F32, F16, BF16, F64 and I8 are supported", name, t.kind)
	}
	fits := len(t.shape) == len(shape)
	for i := 0; fits && i < len(shape); i++ {
		fits = t.shape[i] == shape[i] || shape[i] < 0 && t.shape[i] > 0
	}
	if !fits {
		return nil, invalid(s.file, "tensor %q has the shape %v where %v is needed", name, t.shape, shape)
	}
	return t, nil
}

// floats returns all values of a tensor.
func (s *tensors) floats(name string, shape ...int) ([]float32, error) {
	t, err := s.get(name, shape...)
	if err != nil {
		return nil, err
	}
	return t.floats(), nil
}
