package encoder

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// weights is a weights file with this header.
func weights(header string, data ...byte) []byte {
	file := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(file, header...), data...)
}

func TestElementTypes(t *testing.T) {
	half := func(h uint16) []byte { return binary.LittleEndian.AppendUint16(nil, h) }
	for name, c := range map[string]struct {
		kind string
		data []byte
		want float32
	}{
		"single":             {"F32", binary.LittleEndian.AppendUint32(nil, math.Float32bits(-1.5)), -1.5},
		"double":             {"F64", binary.LittleEndian.AppendUint64(nil, math.Float64bits(-1.5)), -1.5},
		"brain float":        {"BF16", half(0xbfc0), -1.5},
		"quantised":          {"I8", []byte{0xfe}, -2},
		"half":               {"F16", half(0xbe00), -1.5},
		"half, one":          {"F16", half(0x3c00), 1},
		"half, greatest":     {"F16", half(0x7bff), 65504},
		"half, least":        {"F16", half(0x0001), 1. / (1 << 24)},
		"half, subnormal":    {"F16", half(0x83ff), -1023. / (1 << 24)},
		"half, least normal": {"F16", half(0x0400), 1. / (1 << 14)},
		"half, zero":         {"F16", half(0), 0},
		"half, infinite":     {"F16", half(0xfc00), float32(math.Inf(-1))},
	} {
		var got [1]float32
		(&tensor{kind: c.kind, data: c.data}).read(got[:], 0)
		require.Equal(t, c.want, got[0], name)
	}
	require.True(t, math.IsNaN(float64(halfToFloat(0x7e00))))
}

// A small file with few, very wide vectors does not take all memory.
func TestWideVectors(t *testing.T) {
	for width, says := range map[int]string{maxWidth: "", maxWidth + 1: "more than the 16384 that are supported"} {
		file := weights(fmt.Sprintf(`{"x": {"dtype": "I8", "shape": [1, %d], "data_offsets": [0, %[1]d]}}`, width), make([]byte, width)...)
		s, err := readSafetensors("w", bytes.NewReader(file), int64(len(file)))
		require.NoError(t, err)
		table, err := newStatic(s, "x")
		if says != "" {
			require.ErrorContains(t, err, says)
			continue
		}
		require.NoError(t, err)
		require.LessOrEqual(t, table.maxLen()*width, 32<<20/4, "32 MiB for a text")
	}
}

// Nor does one with few, very wide layers. A layer of 8-bit weights would need a scale.
func TestWideLayers(t *testing.T) {
	const inner, positions = 8 * maxWidth, maxTokens
	layer := func(kind string) (*bert, error) {
		header, at := "{", 0
		add := func(name string, shape ...int) {
			size := int(elementSizes[kind])
			for _, n := range shape {
				size *= n
			}
			dims := strings.Join(strings.Fields(fmt.Sprint(shape)), ", ")
			header += fmt.Sprintf(`"%s": {"dtype": %q, "shape": %s, "data_offsets": [%d, %d]},`, name, kind, dims, at, at+size)
			at += size
		}
		add("embeddings.word_embeddings.weight", 1, 1)
		add("embeddings.position_embeddings.weight", positions, 1)
		add("embeddings.token_type_embeddings.weight", 1, 1)
		names := map[string][]int{"attention.self.query": {1, 1}, "attention.self.key": {1, 1}, "attention.self.value": {1, 1},
			"attention.output.dense": {1, 1}, "intermediate.dense": {inner, 1}, "output.dense": {1, inner}}
		for name, shape := range names {
			add("encoder.layer.0."+name+".weight", shape...)
			add("encoder.layer.0."+name+".bias", shape[0])
		}
		for _, name := range []string{"embeddings.LayerNorm", "encoder.layer.0.attention.output.LayerNorm", "encoder.layer.0.output.LayerNorm"} {
			add(name+".weight", 1)
			add(name+".bias", 1)
		}
		s, err := parseSafetensors("w", []byte(strings.TrimSuffix(header, ",")+"}"), make([]byte, at))
		require.NoError(t, err)
		return newBert(&bertConfig{ModelType: "bert", Hidden: 1, Layers: 1, Heads: 1, Intermediate: inner}, s, false)
	}
	wide, err := layer("F16")
	require.NoError(t, err)
	require.LessOrEqual(t, wide.maxLen()*inner*4, 128<<20, "128 MiB for a text")
	_, err = layer("I8")
	require.ErrorContains(t, err, `tensor "embeddings.word_embeddings.weight" has elements of type I8`)
}

func TestDamagedWeights(t *testing.T) {
	for name, c := range map[string]struct {
		file []byte
		says string
	}{
		"empty":          {nil, "cut short"},
		"long header":    {weights("{}")[:9], "claims 2 bytes"},
		"endless header": {append(bytes.Repeat([]byte{0xff}, 8), "{}"...), "claims"},
		"no JSON":        {weights("{"), "not JSON"},
		"a list":         {weights("[]"), "not JSON"},
		"not described":  {weights(`{"x": 7}`), "not described"},
		"beyond":         {weights(`{"x": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}`, 1, 2, 3, 4), "lies at 0 to 8 of 4"},
		"backwards":      {weights(`{"x": {"dtype": "F32", "shape": [0], "data_offsets": [4, 0]}}`, 1, 2, 3, 4), "lies at 4 to 0"},
		"before":         {weights(`{"x": {"dtype": "F32", "shape": [1], "data_offsets": [-4, 0]}}`, 1, 2, 3, 4), "lies at -4"},
		"wrong size":     {weights(`{"x": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}}`, 1, 2, 3, 4), "2 values in 4 bytes"},
		"overflow":       {weights(`{"x": {"dtype": "F32", "shape": [4294967296, 4294967296], "data_offsets": [0, 0]}}`), "impossible shape"},
		"product":        {weights(`{"x": {"dtype": "F32", "shape": [2147483648, 2147483648, 4], "data_offsets": [0, 0]}}`), "impossible shape"},
		"negative":       {weights(`{"x": {"dtype": "F32", "shape": [-1, -1], "data_offsets": [0, 4]}}`, 1, 2, 3, 4), "impossible shape"},
		"dimensions":     {weights(`{"x": {"dtype": "F32", "shape": [1,1,1,1,1,1,1,1,1], "data_offsets": [0, 4]}}`, 1, 2, 3, 4), "9 dimensions"},
		"other type":     {weights(`{"x": {"dtype": "F8_E4M3", "shape": [4], "data_offsets": [0, 4]}}`, 1, 2, 3, 4), `type "F8_E4M3"`},
		"another shape":  {weights(`{"x": {"dtype": "F32", "shape": [1, 1], "data_offsets": [0, 4]}}`, 1, 2, 3, 4), "shape [1 1]"},
		"overlap":        {weights(`{"y": {"dtype": "I8", "shape": [3], "data_offsets": [0, 3]}, "x": {"dtype": "I8", "shape": [1], "data_offsets": [2, 3]}}`, 1, 2, 3), "tensors overlap at 2"},
		"twice":          {weights(`{"y": {"dtype": "I8", "shape": [1], "data_offsets": [0, 1]}, "x": {"dtype": "I8", "shape": [1], "data_offsets": [0, 1]}}`, 1), "tensors overlap at 0"},
		"another name":   {weights(`{"y": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}`, 1, 2, 3, 4), `no tensor "x"`},
	} {
		s, err := readSafetensors("w", bytes.NewReader(c.file), int64(len(c.file)))
		if err == nil {
			_, err = s.floats("x", 1)
		}
		require.ErrorContains(t, err, c.says, name)
	}
	file := weights(`{"__metadata__": {"format": "pt"}, "x": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}`, 0, 0, 0x80, 0x3f)
	s, err := readSafetensors("w", bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	values, err := s.floats("x", 1)
	require.NoError(t, err)
	require.Equal(t, []float32{1}, values)
	file = weights(`{"y": {"dtype": "I8", "shape": [2], "data_offsets": [1, 3]}, "z": {"dtype": "I8", "shape": [0], "data_offsets": [1, 1]}, "x": {"dtype": "I8", "shape": [1], "data_offsets": [0, 1]}}`, 1, 2, 3)
	_, err = readSafetensors("w", bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err, "neighbours, one of them empty, do not overlap")
	_, err = readSafetensors("w", bytes.NewReader(file), int64(len(file)+1))
	require.ErrorContains(t, err, "cut short", "a file that shrinks while it is read")
}

// FuzzSafetensors reads damaged weights, and opens models with them.
func FuzzSafetensors(f *testing.F) {
	for _, name := range []string{"bert", "model2vec"} {
		data, err := os.ReadFile("testdata/" + name + "/model.safetensors")
		require.NoError(f, err)
		f.Add(data)
	}
	f.Add(weights(`{"embeddings": {"dtype": "F16", "shape": [2, 1], "data_offsets": [0, 4]}, "mapping": {"dtype": "I32", "shape": [1], "data_offsets": [4, 8]}}`, 1, 2, 3, 4, 1, 0, 0, 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := readSafetensors("w", bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		for name, of := range s.byName {
			if values, err := s.floats(name, of.shape...); err == nil {
				require.Len(t, values, of.values())
			}
		}
		if m, err := newStatic(s, model2vecTensor); err == nil {
			require.NoError(t, m.run(t.Context(), []int32{0, int32(m.vocab() - 1)}, 1, func(states []float32) {
				require.Len(t, states, 2*m.dims())
			}))
		}
		config := &bertConfig{ModelType: "bert", Hidden: 20, Layers: 2, Heads: 2, Intermediate: 28}
		for _, int8 := range []bool{false, true} {
			if m, err := newBert(config, s, int8); err == nil {
				require.NoError(t, m.run(t.Context(), []int32{0}, 1, func([]float32) {}))
			}
		}
	})
}

// FuzzTokenizer reads damaged tokenizers, and uses them.
func FuzzTokenizer(f *testing.F) {
	for _, name := range []string{"bert", "xlm-roberta"} {
		data, err := os.ReadFile("testdata/" + name + "/tokenizer.json")
		require.NoError(f, err)
		f.Add(string(data), "I drive a green Skoda. [MASK]<mask> Café ＡＢＣ！")
	}
	f.Add(`{"model": {"type": "Unigram", "vocab": [["a", -1], ["ab", -2]]}, "pre_tokenizer": {"type": "Metaspace"}, "post_processor": {"type": "BertProcessing", "sep": ["a", 1], "cls": ["a", 0]}}`, "ab c")
	f.Add(`{"model": {"type": "WordPiece", "unk_token": "a", "vocab": {"a": 1, "##b": 0}}, "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFKD"}, {"type": "StripAccents"}, {"type": "Replace", "pattern": {"Regex": "x+"}, "content": "y"}]}}`, "abc")
	f.Fuzz(func(t *testing.T, file, text string) {
		k, err := parseTokenizer([]byte(file))
		if err != nil {
			return
		}
		for _, limit := range []int{0, 3, 1000} {
			for _, special := range []bool{false, true} {
				ids := k.encode(text, limit, special)
				if limit >= len(k.before)+len(k.after) {
					require.LessOrEqual(t, len(ids), limit)
				}
				for _, id := range ids {
					require.True(t, 0 <= id && int(id) < k.size, "token %d of %d", id, k.size)
				}
			}
		}
	})
}
