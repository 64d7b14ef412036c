package encoder

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"strconv"
	"sync"
)

const (
	maxLayers = 128
	maxWidth  = 1 << 14 // values in a token's state
	maxTokens = 8192    // tokens in a text, even if the model allows more
	// maxInner bounds the values of all tokens in a layer, to 128 MiB. Texts of very
	// wide models are shorter.
	maxInner = maxTokens << 12
	// queryRows is the number of tokens for which attention is computed at a time.
	// Memory then grows linearly with the length of a text, not quadratically.
	queryRows = 32
)

// bertConfig is the config.json of a BERT-family model.
type bertConfig struct {
	ModelType    string  `json:"model_type"`
	Hidden       int     `json:"hidden_size"`
	Layers       int     `json:"num_hidden_layers"`
	Heads        int     `json:"num_attention_heads"`
	Intermediate int     `json:"intermediate_size"`
	Activation   string  `json:"hidden_act"`
	Epsilon      float64 `json:"layer_norm_eps"`
	Positions    string  `json:"position_embedding_type"`
	PadToken     *int    `json:"pad_token_id"`
	Decoder      bool    `json:"is_decoder"`
}

// bert is a transformer encoder. It is safe for concurrent use.
type bert struct {
	width, heads  int
	inner         int // values in a token's state between up and down
	epsilon       float64
	activate      func([]float32)
	entries       int  // tokens
	words         rows // token embeddings, converted to float32 on lookup
	positions     []float32
	firstPosition int // position of the first token
	length        int // maximum number of tokens
	norm          layerNorm
	layers        []bertLayer

	buffers sync.Pool // of *bertBuffers
}

type bertLayer struct {
	queryKeyValue, output, up, down linear
	attentionNorm, outputNorm       layerNorm
}

// rows is a table of vectors.
type rows interface {
	// read fills values with the elements that start at index from.
	read(values []float32, from int)
}

// linear is a matrix with a bias.
type linear struct {
	weights panels
	int8    *bytePanels // in place of weights, or nil
	bias    []float32   // one value per column, rounded up to whole tiles of both
}

type layerNorm struct{ scale, shift []float32 }

func newBert(c *bertConfig, weights *tensors, int8 bool) (*bert, error) {
	switch {
	case c.Hidden < 1 || c.Hidden > maxWidth || c.Intermediate < 1 || c.Intermediate > 8*maxWidth:
		return nil, invalid(configFile, "hidden_size %d and intermediate_size %d are not supported", c.Hidden, c.Intermediate)
	case c.Layers < 1 || c.Layers > maxLayers:
		return nil, invalid(configFile, "num_hidden_layers %d is not supported", c.Layers)
	case c.Heads < 1 || c.Hidden%c.Heads != 0:
		return nil, invalid(configFile, "hidden_size %d is not a multiple of num_attention_heads %d", c.Hidden, c.Heads)
	case c.Positions != "" && c.Positions != "absolute":
		return nil, invalid(configFile, "position_embedding_type %.40q is not supported; absolute is", c.Positions)
	case c.Decoder:
		return nil, invalid(configFile, "is_decoder: decoders are not supported")
	case c.Epsilon < 0 || c.Epsilon > 1:
		return nil, invalid(configFile, "layer_norm_eps %v is not supported", c.Epsilon)
	}
	b := &bert{width: c.Hidden, inner: c.Intermediate, heads: c.Heads, epsilon: c.Epsilon}
	b.epsilon = cmp.Or(b.epsilon, 1e-12)
	switch c.Activation {
	case "gelu", "":
		b.activate = gelu
	case "gelu_new", "gelu_pytorch_tanh", "gelu_fast":
		b.activate = geluTanh
	case "relu":
		b.activate = relu
	default:
		return nil, invalid(configFile, "hidden_act %.40q is not supported", c.Activation)
	}
	l := &bertLoader{tensors: weights, width: c.Hidden, int8: int8}
	for _, prefix := range []string{"bert.", "roberta.", "model."} {
		if weights.has(prefix + "embeddings.word_embeddings.weight") {
			l.prefix = prefix
		}
	}
	words := l.tensor("embeddings.word_embeddings.weight", -1, c.Hidden)
	positions := l.tensor("embeddings.position_embeddings.weight", -1, c.Hidden)
	kinds := l.floats("embeddings.token_type_embeddings.weight", -1, c.Hidden)
	b.norm = l.norm("embeddings.LayerNorm")
	for i := 0; i < c.Layers && l.err == nil; i++ {
		b.layers = append(b.layers, l.layer(i, c))
	}
	if l.err != nil {
		return nil, l.err
	}
	if c.ModelType != "bert" { // roberta's positions start after the padding token's
		if b.firstPosition = 2; c.PadToken != nil {
			b.firstPosition = *c.PadToken + 1
		}
	}
	if b.firstPosition < 0 || b.firstPosition >= positions.shape[0] {
		return nil, invalid(configFile, "pad_token_id leaves no positions")
	}
	b.length = min(positions.shape[0]-b.firstPosition, maxTokens, maxInner/max(b.inner, 3*b.width))
	b.positions = make([]float32, b.length*b.width)
	positions.read(b.positions, b.firstPosition*b.width)
	for i := range b.positions { // every token has type 0
		b.positions[i] += kinds[i%b.width]
	}
	b.entries = words.shape[0]
	if int8 {
		b.words = newByteRows(words)
	} else {
		own := *words
		own.data = bytes.Clone(words.data) // lets the file's other tensors be freed
		b.words = &own
	}
	b.buffers.New = func() any { return new(bertBuffers) }
	return b, nil
}

// bertLoader reads tensors until one cannot be read.
type bertLoader struct {
	*tensors
	prefix string
	width  int
	int8   bool
	err    error
}

func (l *bertLoader) tensor(name string, shape ...int) *tensor {
	if l.err != nil {
		return nil
	}
	t, err := l.get(l.prefix+name, shape...)
	if err == nil && t.kind == "I8" {
		err = invalid(l.file, "tensor %q has elements of type I8, whose scale is not known; F32, F16, BF16 and F64 are supported", l.prefix+name)
	}
	l.err = err
	return t
}

func (l *bertLoader) floats(name string, shape ...int) []float32 {
	t := l.tensor(name, shape...)
	if l.err != nil {
		return nil
	}
	return t.floats()
}

func (l *bertLoader) norm(name string) layerNorm {
	scale, shift := name+".weight", name+".bias"
	if l.has(l.prefix + name + ".gamma") { // a model converted from TensorFlow
		scale, shift = name+".gamma", name+".beta"
	}
	return layerNorm{scale: l.floats(scale, l.width), shift: l.floats(shift, l.width)}
}

// linear reads layers with in inputs and out outputs each, and concatenates their
// outputs. scale multiplies the weights of the first layer.
func (l *bertLoader) linear(in, out int, scale float32, names ...string) (joined linear) {
	weights, biases := make([]*tensor, len(names)), make([][]float32, len(names))
	for i, name := range names {
		weights[i] = l.tensor(name+".weight", out, in)
		biases[i] = l.floats(name+".bias", out)
	}
	if l.err != nil {
		return linear{}
	}
	var set func(col int, values []float32, factor float32)
	if l.int8 {
		joined.int8 = newBytePanels(in, out*len(names))
		set = joined.int8.setColumn
	} else {
		joined.weights = newPanels(in, out*len(names), nil)
		set = joined.weights.setColumn
	}
	column := make([]float32, in)
	joined.bias = make([]float32, max(roundUp(out*len(names), tileCols), roundUp(out*len(names), tileBytes)))
	for n, t := range weights {
		factor := float32(1)
		if n == 0 {
			factor = scale
		}
		for col := range out {
			t.read(column, col*in)
			set(n*out+col, column, factor)
			joined.bias[n*out+col] = factor * biases[n][col]
		}
	}
	return joined
}

func (l *bertLoader) layer(i int, c *bertConfig) bertLayer {
	name := "encoder.layer." + strconv.Itoa(i) + "."
	scale := float32(1 / math.Sqrt(float64(c.Hidden/c.Heads))) // 1/√d of scaled dot-product attention
	attention := name + "attention.self."
	return bertLayer{
		queryKeyValue: l.linear(c.Hidden, c.Hidden, scale, attention+"query", attention+"key", attention+"value"),
		output:        l.linear(c.Hidden, c.Hidden, 1, name+"attention.output.dense"),
		attentionNorm: l.norm(name + "attention.output.LayerNorm"),
		up:            l.linear(c.Hidden, c.Intermediate, 1, name+"intermediate.dense"),
		down:          l.linear(c.Intermediate, c.Hidden, 1, name+"output.dense"),
		outputNorm:    l.norm(name + "output.LayerNorm"),
	}
}

// bertBuffers are the buffers of a call, reused by the next one.
type bertBuffers struct {
	state, queryKeyValue, context, update, inner []float32
	attention                                    []attentionBuffers // one per worker
	words                                        wordBuffer
}

type attentionBuffers struct{ keys, values, scores []float32 }

// grown returns a slice of n values. It reuses the memory of s if that is large enough.
func grown(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n)
	}
	return s[:n]
}

func (b *bert) dims() int     { return b.width }
func (b *bert) vocab() int    { return b.entries }
func (b *bert) maxLen() int   { return b.length }
func (b *bert) special() bool { return true }

// run computes the states of all tokens with the given number of goroutines, and calls
// pool with them: one row of dims values per token. It fails only if ctx is done.
func (b *bert) run(ctx context.Context, ids []int32, workers int, pool func(states []float32)) error {
	buffers := b.buffers.Get().(*bertBuffers)
	defer b.buffers.Put(buffers)
	n, width := len(ids), b.width
	rows := roundUp(n, tileRows)
	inner := b.inner
	buffers.state = grown(buffers.state, rows*width)
	buffers.queryKeyValue = grown(buffers.queryKeyValue, rows*3*width)
	buffers.context = grown(buffers.context, rows*width)
	buffers.update = grown(buffers.update, rows*width)
	buffers.inner = grown(buffers.inner, rows*inner)
	if len(buffers.attention) < workers {
		buffers.attention = make([]attentionBuffers, workers)
	}
	state, update := buffers.state, buffers.update
	for i, id := range ids {
		row := state[i*width:][:width]
		b.words.read(row, int(id)*width)
		for j, position := range b.positions[i*width:][:width] {
			row[j] += position
		}
		b.norm.apply(row, b.epsilon)
	}
	for i := range b.layers {
		if err := ctx.Err(); err != nil {
			return err
		}
		layer := &b.layers[i]
		layer.queryKeyValue.multiply(workers, buffers.queryKeyValue, state, rows, &buffers.words)
		inParallel(workers, workers, func(first, last int) {
			for w := first; w < last; w++ {
				for head := b.heads * w / workers; head < b.heads*(w+1)/workers; head++ {
					b.attend(buffers, &buffers.attention[w], head, n)
				}
			}
		})
		layer.output.multiply(workers, update, buffers.context, rows, &buffers.words)
		addNorm(state, update, n, layer.attentionNorm, b.epsilon)
		layer.up.multiply(workers, buffers.inner, state, rows, &buffers.words)
		inParallel(workers, n, func(first, last int) { b.activate(buffers.inner[first*inner : last*inner]) })
		layer.down.multiply(workers, update, buffers.inner, rows, &buffers.words)
		addNorm(state, update, n, layer.outputNorm, b.epsilon)
	}
	pool(state[:n*width])
	return nil
}

// multiply computes out = in·weights + bias for a number of rows.
func (l *linear) multiply(workers int, out, in []float32, rows int, words *wordBuffer) {
	if l.int8 != nil {
		l.int8.multiplyWith(workers, out, in, rows, l.bias, words)
		return
	}
	l.weights.multiplyWith(workers, out, l.weights.cols, in, l.weights.depth, rows, l.bias)
}

// attend computes the self-attention of one head over n tokens.
func (b *bert) attend(buffers *bertBuffers, own *attentionBuffers, head, n int) {
	size := b.width / b.heads
	stride := 3 * b.width
	all := buffers.queryKeyValue
	query, key, value := head*size, b.width+head*size, 2*b.width+head*size
	keys := newPanels(size, n, own.keys)
	values := newPanels(n, size, own.values)
	own.keys, own.values = keys.data, values.data
	clear(keys.data)
	clear(values.data)
	for i := range n {
		keys.setColumn(i, all[i*stride+key:][:size], 1)
		for j, v := range all[i*stride+value:][:size] {
			values.set(i, j, v)
		}
	}
	columns := roundUp(max(n, size), tileCols)
	own.scores = grown(own.scores, (queryRows+1)*columns)
	scores, zero := own.scores[:queryRows*columns], own.scores[queryRows*columns:]
	clear(zero)
	for from := 0; from < n; from += queryRows {
		rows := min(queryRows, n-from)
		keys.multiply(scores, columns, all[from*stride+query:], stride, rows, zero)
		for r := range rows {
			softmax(scores[r*columns:][:n])
		}
		values.multiply(buffers.context[from*b.width+head*size:], b.width, scores, columns, rows, zero)
	}
}

// softmax replaces logits by probabilities, which add up to 1.
func softmax(logits []float32) {
	greatest := logits[0]
	for _, x := range logits {
		greatest = max(greatest, x)
	}
	sum := float32(0)
	for i, x := range logits {
		e := exp(x - greatest)
		logits[i] = e
		sum += e
	}
	factor := 1 / sum
	for i := range logits {
		logits[i] *= factor
	}
}

// addNorm adds update to the first n rows of state and applies the layer norm.
func addNorm(state, update []float32, n int, norm layerNorm, epsilon float64) {
	width := len(norm.scale)
	for i := range n {
		row, add := state[i*width:][:width], update[i*width:][:width]
		for j := range row {
			row[j] += add[j]
		}
		norm.apply(row, epsilon)
	}
}

// apply normalises row to mean 0 and variance 1, then scales and shifts it.
func (n *layerNorm) apply(row []float32, epsilon float64) {
	sum := float32(0)
	for _, x := range row {
		sum += x
	}
	mean, squares := sum/float32(len(row)), float32(0)
	for _, x := range row {
		squares += (x - mean) * (x - mean)
	}
	factor := float32(1 / math.Sqrt(float64(squares)/float64(len(row))+epsilon))
	scale, shift := n.scale[:len(row)], n.shift[:len(row)]
	for i, x := range row {
		row[i] = (x-mean)*factor*scale[i] + shift[i]
	}
}
