package encoder

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// Encoder computes embedding vectors of texts. It is safe for concurrent use.
type Encoder struct {
	tokenizer *tokenizer
	network   network
	pooling   pooling
	normalise bool
	lower     bool // lowercase texts first
	limit     int  // maximum number of tokens per text
	known     bool // omit unknown tokens

	queryPrompt, documentPrompt string

	family string
	int8   bool
	files  []File
}

// network computes a state for each token.
type network interface {
	dims() int
	vocab() int  // number of tokens; ids are below it
	maxLen() int // maximum number of tokens
	special() bool
	run(ctx context.Context, ids []int32, workers int, pool func(states []float32)) error
}

// ID identifies the model of stored vectors (extension.Config.Embedding.Model). It
// consists of the model's family, its number of dimensions and a hash of its files, so
// it does not depend on the folder. With [Int8] it ends in "-int8".
func (e *Encoder) ID() string {
	id := fmt.Sprintf("%s-%d-%s", e.family, e.Dims(), hashFiles(e.files)[:16])
	if e.int8 {
		id += "-int8"
	}
	return id
}

// Dims returns the number of dimensions of a vector.
func (e *Encoder) Dims() int { return e.network.dims() }

// Prompts returns the prefixes of queries and documents, "" for none.
func (e *Encoder) Prompts() (query, document string) { return e.queryPrompt, e.documentPrompt }

// Files returns the files of the model folder that the encoder depends on.
func (e *Encoder) Files() []File { return slices.Clone(e.files) }

// EmbedDocuments returns one vector of [Encoder.Dims] values per text, with the model's
// document prompt. It fails only if ctx is done.
func (e *Encoder) EmbedDocuments(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	workers := 1
	if len(texts) == 1 {
		workers = queryWorkers()
	}
	err := eachOf(len(texts), func(i int) (err error) {
		vectors[i], err = e.embed(ctx, e.documentPrompt+texts[i], workers)
		return err
	})
	if err != nil {
		return nil, err
	}
	return vectors, nil
}

// EmbedQuery returns a vector of [Encoder.Dims] values for a query, with the model's
// query prompt. It fails only if ctx is done.
func (e *Encoder) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	return e.embed(ctx, e.queryPrompt+text, queryWorkers())
}

// queryWorkers returns the number of goroutines for one text. With more than 8,
// synchronisation costs more than it saves.
func queryWorkers() int { return min(runtime.GOMAXPROCS(0), 8) }

func (e *Encoder) embed(ctx context.Context, text string, workers int) (vector []float32, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if e.lower {
		text = strings.ToLower(text)
	}
	ids := e.tokenizer.encode(text, e.limit, e.network.special())
	unknown := e.tokenizer.unknown
	if e.known {
		ids = slices.DeleteFunc(ids, func(id int32) bool { return id == unknown })
	}
	if len(ids) == 0 && unknown >= 0 {
		// For a text without known tokens, the reference returns the zero vector,
		// which has no cosine. This returns the unknown token's vector instead.
		ids = append(ids, unknown)
	}
	err = e.network.run(ctx, ids, workers, func(states []float32) { vector = e.pooling.pool(states, e.Dims()) })
	if err != nil {
		return nil, err
	}
	if e.normalise {
		unit(vector)
	}
	return vector, nil
}

// Option changes how a model is held.
type Option func(*Encoder)

// Int8 holds the weights and word embeddings of a model of the BERT family in 8 bits,
// a quarter of the memory of fp32. Vectors differ slightly, so [Encoder.ID] does too.
func Int8() Option { return func(e *Encoder) { e.int8 = true } }

// Open reads the model in a folder. The folder is not needed afterwards.
//
// Errors: [*InvalidError], which names the file.
func Open(dir string, options ...Option) (*Encoder, error) {
	f, e := &folder{dir: dir}, new(Encoder)
	for _, option := range options {
		option(e)
	}
	if err := e.open(f); err != nil {
		return nil, err
	}
	e.files = f.files
	return e, nil
}

func (e *Encoder) open(f *folder) error {
	modules, err := readModules(f)
	if err != nil {
		return err
	}
	e.pooling, e.normalise = modules.pooling, modules.normalise
	var config struct {
		bertConfig
		Normalize *bool `json:"normalize"`
		MaxLength int   `json:"max_length"`
	}
	if err := f.json(modules.path, configFile, &config, modules.static); err != nil {
		return err
	}
	e.family = config.ModelType
	switch config.ModelType {
	case "bert", "roberta", "xlm-roberta":
	case "model2vec":
		modules.static = true
	default:
		if !modules.static {
			return invalid(configFile, "the model_type %.40q is not supported; bert, roberta, xlm-roberta and model2vec are", config.ModelType)
		}
	}
	if e.int8 && modules.static {
		return invalid(configFile, "int8 is not supported for static embeddings")
	}
	if e.tokenizer, err = readTokenizer(f, modules.path); err != nil {
		return err
	}
	if err := e.readLimits(f, modules.path); err != nil {
		return err
	}
	if err := e.readPrompts(f); err != nil {
		return err
	}
	if !modules.includePrompt && e.queryPrompt+e.documentPrompt != "" {
		return invalid("modules.json", "pooling without the prompt (include_prompt) is not supported")
	}
	weights, err := f.safetensors(modules.path)
	if err != nil {
		return err
	}
	switch {
	case !modules.static:
		e.network, err = newBert(&config.bertConfig, weights, e.int8)
	case weights.has(model2vecTensor):
		// As the Model2Vec library does; config.json can set normalize and max_length.
		e.family, e.known, e.pooling = "model2vec", true, poolMean
		e.normalise = config.Normalize == nil || *config.Normalize
		if e.limit = 512; config.MaxLength > 0 {
			e.limit = config.MaxLength
		}
		e.network, err = newStatic(weights, model2vecTensor)
	default:
		e.family = "static"
		e.network, err = newStatic(weights, "embedding.weight")
	}
	if err != nil {
		return err
	}
	if e.tokenizer.size > e.network.vocab() {
		return invalid(tokenizerFile, "the tokenizer has %d tokens, the model %d", e.tokenizer.size, e.network.vocab())
	}
	if most := e.network.maxLen(); e.limit == 0 || e.limit > most {
		e.limit = most
	}
	if special := len(e.tokenizer.before) + len(e.tokenizer.after); e.network.special() && (special == 0 || e.limit <= special) {
		return invalid(tokenizerFile, "%d special tokens around a text of at most %d", special, e.limit)
	}
	return nil
}

// readLimits reads the maximum length of a text.
func (e *Encoder) readLimits(f *folder, path string) error {
	var c struct {
		Length *float64 `json:"max_seq_length"`
		Lower  bool     `json:"do_lower_case"`
	}
	const file = "sentence_bert_config.json"
	if err := f.json(path, file, &c, true); err != nil {
		return err
	}
	e.lower = c.Lower
	if c.Length == nil {
		var t struct {
			Length *float64 `json:"model_max_length"`
		}
		if err := f.json(path, "tokenizer_config.json", &t, true); err != nil {
			return err
		}
		c.Length = t.Length
	}
	if c.Length != nil {
		if *c.Length < 1 {
			return invalid(file, "texts of at most %v tokens", *c.Length)
		}
		e.limit = int(min(*c.Length, 1<<30))
	}
	return nil
}

// readPrompts reads the prefixes of queries and documents.
func (e *Encoder) readPrompts(f *folder) error {
	var c struct {
		Prompts map[string]string `json:"prompts"`
		Default string            `json:"default_prompt_name"`
	}
	if err := f.json("", "config_sentence_transformers.json", &c, true); err != nil {
		return err
	}
	first := func(names ...string) string {
		for _, name := range names {
			if prompt, ok := c.Prompts[name]; ok {
				return prompt
			}
		}
		return ""
	}
	e.queryPrompt = first("query", c.Default)
	e.documentPrompt = first("document", "passage", "corpus", c.Default)
	return nil
}

// modules is the content of modules.json: the network, and the steps after it.
type modules struct {
	path          string // the network's folder, below the model's
	static        bool
	pooling       pooling
	normalise     bool
	includePrompt bool
}

func readModules(f *folder) (*modules, error) {
	const file = "modules.json"
	var list []struct {
		Path string `json:"path"`
		Type string `json:"type"`
	}
	m := &modules{includePrompt: true}
	if err := f.json("", file, &list, true); err != nil {
		return nil, err
	}
	for i, entry := range list {
		kind := entry.Type[strings.LastIndexByte(entry.Type, '.')+1:]
		switch {
		case i == 0 && (kind == "Transformer" || kind == "StaticEmbedding"):
			m.path, m.static = entry.Path, kind == "StaticEmbedding"
		case i > 0 && kind == "Normalize":
			m.normalise = true
		case i > 0 && kind == "Pooling" && !m.static && !m.normalise:
			if err := m.readPooling(f, entry.Path); err != nil {
				return nil, err
			}
		default:
			return nil, invalid(file, "module %d of type %.80q is not supported", i, entry.Type)
		}
	}
	return m, nil
}

func (m *modules) readPooling(f *folder, path string) error {
	var c struct {
		Mode     string `json:"pooling_mode"`
		First    bool   `json:"pooling_mode_cls_token"`
		Mean     *bool  `json:"pooling_mode_mean_tokens"`
		Max      bool   `json:"pooling_mode_max_tokens"`
		MeanSqrt bool   `json:"pooling_mode_mean_sqrt_len_tokens"`
		Weighted bool   `json:"pooling_mode_weightedmean_tokens"`
		Last     bool   `json:"pooling_mode_lasttoken"`
		Prompt   *bool  `json:"include_prompt"`
	}
	if err := f.json(path, configFile, &c, false); err != nil {
		return err
	}
	mean := c.Mean != nil && *c.Mean
	m.includePrompt = c.Prompt == nil || *c.Prompt
	modes := []struct {
		set  bool
		mode pooling
	}{{mean || c.Mode == "mean", poolMean}, {c.First || c.Mode == "cls", poolFirst}, {c.Max || c.Mode == "max", poolMax},
		{c.MeanSqrt || c.Mode == "mean_sqrt_len_tokens", poolMeanSqrt}}
	chosen := 0
	for _, mode := range modes {
		if mode.set {
			m.pooling = mode.mode
			chosen++
		}
	}
	if chosen != 1 || c.Weighted || c.Last {
		return invalid(path+"/"+configFile, "this pooling is not supported; one of cls, mean, max and mean_sqrt_len is")
	}
	return nil
}

func readTokenizer(f *folder, path string) (*tokenizer, error) {
	data, err := f.read(path, tokenizerFile, maxTokenizer, true)
	if err != nil {
		return nil, err
	}
	if data != nil {
		return parseTokenizer(data)
	}
	vocab, err := f.read(path, vocabFile, maxTokenizer, true)
	if err != nil {
		return nil, err
	}
	if vocab == nil {
		return nil, invalid(tokenizerFile, "missing, and so is %s", vocabFile)
	}
	config, err := f.read(path, "tokenizer_config.json", maxConfig, true)
	if err != nil {
		return nil, err
	}
	return parseVocab(bytes.ReplaceAll(vocab, []byte("\r\n"), []byte("\n")), config)
}
