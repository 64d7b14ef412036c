package encoder

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	tokenizerFile = "tokenizer.json"
	vocabFile     = "vocab.txt"

	maxTokenizer = 64 << 20 // bytes of a tokenizer's file
	maxAdded     = 10_000   // added tokens
	maxSteps     = 64       // normalizers, and pre-tokenizers
	maxInserted  = 100      // bytes of a replacement
	maxText      = 1 << 20  // bytes of a text; the rest is not encoded
	maxGrowth    = 16       // factor by which normalisation may lengthen a text
	maxNormal    = maxGrowth*maxText + 1024
)

// tokenizer converts text to token ids, which are vocabulary indexes.
type tokenizer struct {
	added     []addedToken // matched in the text
	normal    []addedToken // matched in the normalised text
	normalise []func(string) string
	split     []func(pieces []string, start bool) []string
	model     subwords
	// before and after are the special tokens that enclose a text, such as
	// [CLS] and [SEP].
	before, after []int32
	unknown       int32 // id of the unknown token; -1 if there is none
	size          int   // one more than the largest id
}

// subwords splits a piece of text into vocabulary entries.
type subwords interface {
	// appendTo appends the ids of the entries, and may stop once there are limit ids.
	appendTo(ids []int32, piece string, limit int) []int32
}

// addedToken is a token that is matched before the text is split.
type addedToken struct {
	ID         int32  `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"`
	LStrip     bool   `json:"lstrip"`
	RStrip     bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"` // matched after normalisation, normalised itself
}

// encode returns at most limit token ids, including those of the special tokens if
// special is set.
func (t *tokenizer) encode(text string, limit int, special bool) []int32 {
	var ids []int32
	text = strings.ToValidUTF8(cutText(text, maxText), "\ufffd")
	if special {
		ids = append(ids, t.before...)
		limit -= len(t.after)
	}
	start := true // of the text
	each(t.added, text, func(plain string, token *addedToken) bool {
		each(t.normal, t.normalised(plain), func(plain string, token *addedToken) bool {
			for _, piece := range t.pieces(plain, start) {
				if piece != "" && len(ids) < limit {
					ids = t.model.appendTo(ids, piece, limit)
				}
			}
			start = start && plain == "" && token == nil
			if token != nil {
				ids = append(ids, token.ID)
			}
			return len(ids) < limit
		})
		start = start && token == nil
		if token != nil {
			ids = append(ids, token.ID)
		}
		return len(ids) < limit
	})
	if limit = max(limit, 0); len(ids) > limit {
		ids = ids[:limit]
	}
	if special {
		ids = append(ids, t.after...)
	}
	return ids
}

// normalised limits how much a step may lengthen the text, so that a damaged file
// cannot exhaust memory.
func (t *tokenizer) normalised(text string) string {
	most := maxGrowth*len(text) + 1024
	for _, f := range t.normalise {
		text = cutText(f(text), most)
	}
	return text
}

// pieces splits normalised text, which may be the start of a whole text.
func (t *tokenizer) pieces(text string, start bool) []string {
	pieces := []string{text}
	for _, f := range t.split {
		pieces = f(pieces, start)
	}
	return pieces
}

// cutText truncates text to at most n bytes, at a character boundary.
func cutText(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// addedTokens iterates over the added tokens in a text.
type addedTokens struct {
	tokens []addedToken
	text   string
	from   int
	at     []int // next position of each token, len(text) if there is none
}

// each calls use with the text before each added token, and with the rest of the text
// and nil, until it returns false.
func each(tokens []addedToken, text string, use func(plain string, token *addedToken) bool) {
	a := &addedTokens{tokens: tokens, text: text, at: make([]int, len(tokens))}
	for i := range a.at {
		a.at[i] = -1
	}
	for text != "" {
		plain, token, rest := a.next()
		if !use(plain, token) {
			return
		}
		text = rest
	}
}

// next returns the text up to the next added token, the token, and the text after it.
// The token is nil if there is none.
func (a *addedTokens) next() (before string, token *addedToken, after string) {
	first := len(a.text)
	for i := range a.tokens {
		content := a.tokens[i].Content
		if a.at[i] < a.from {
			if a.at[i] = strings.Index(a.text[a.from:], content); a.at[i] < 0 {
				a.at[i] = len(a.text)
			} else {
				a.at[i] += a.from
			}
		}
		if at := a.at[i]; at < first || at == first && token != nil && len(content) > len(token.Content) {
			first, token = at, &a.tokens[i]
		}
	}
	before = a.text[a.from:first]
	if token == nil {
		a.from = len(a.text)
		return before, nil, ""
	}
	a.from = first + len(token.Content)
	if token.LStrip {
		before = strings.TrimRight(before, " \t\r\n")
	}
	if token.RStrip {
		for a.from < len(a.text) && strings.IndexByte(" \t\r\n", a.text[a.from]) >= 0 {
			a.from++
		}
	}
	return before, token, a.text[a.from:]
}

// component is a typed part of tokenizer.json. It has the fields of all supported
// types.
type component struct {
	Type string `json:"type"`

	// Sequence.
	Normalizers   []component `json:"normalizers"`
	Pretokenizers []component `json:"pretokenizers"`
	Processors    []component `json:"processors"`

	// BertNormalizer.
	CleanText    *bool `json:"clean_text"`
	ChineseChars *bool `json:"handle_chinese_chars"`
	StripAccents *bool `json:"strip_accents"`
	Lowercase    *bool `json:"lowercase"`

	// Strip.
	StripLeft  bool `json:"strip_left"`
	StripRight bool `json:"strip_right"`

	// Replace and Prepend.
	Pattern *struct{ String, Regex *string } `json:"pattern"`
	Content string                           `json:"content"`
	Prepend string                           `json:"prepend"`

	// Precompiled.
	Charsmap []byte `json:"precompiled_charsmap"`

	// Metaspace.
	Replacement    string `json:"replacement"`
	PrependScheme  string `json:"prepend_scheme"`
	AddPrefixSpace *bool  `json:"add_prefix_space"`
	Split          *bool  `json:"split"`

	// Punctuation.
	Behavior string `json:"behavior"`

	// TemplateProcessing.
	Single []struct {
		Special  *struct{ ID string } `json:"SpecialToken"`
		Sequence *struct{ ID string } `json:"Sequence"`
	} `json:"single"`
	Specials map[string]struct{ IDs []int32 } `json:"special_tokens"`

	// BertProcessing and RobertaProcessing: a token and its number.
	Sep [2]any `json:"sep"`
	Cls [2]any `json:"cls"`
}

// parseTokenizer reads a tokenizer.json.
func parseTokenizer(data []byte) (*tokenizer, error) {
	var file struct {
		Added         []addedToken    `json:"added_tokens"`
		Normalizer    *component      `json:"normalizer"`
		PreTokenizer  *component      `json:"pre_tokenizer"`
		PostProcessor *component      `json:"post_processor"`
		Model         json.RawMessage `json:"model"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, &InvalidError{File: tokenizerFile, Problem: "not what a tokenizer looks like", Err: err}
	}
	if len(file.Added) > maxAdded {
		return nil, invalid(tokenizerFile, "%d added tokens are more than the %d that are supported", len(file.Added), maxAdded)
	}
	t := &tokenizer{unknown: -1}
	for _, a := range file.Added {
		if a.ID < 0 {
			return nil, invalid(tokenizerFile, "token %.80q has the number %d", a.Content, a.ID)
		}
		if a.SingleWord {
			return nil, invalid(tokenizerFile, "the added token %.80q is a single_word, which is not supported", a.Content)
		}
		t.size = max(t.size, int(a.ID)+1)
	}
	if err := t.addNormalizer(file.Normalizer); err != nil {
		return nil, err
	}
	if err := t.addPreTokenizer(file.PreTokenizer); err != nil {
		return nil, err
	}
	if max(len(t.normalise), len(t.split)) > maxSteps {
		return nil, invalid(tokenizerFile, "%d normalizers and %d pre-tokenizers are more than are supported", len(t.normalise), len(t.split))
	}
	for _, a := range file.Added {
		list := &t.added
		if a.Normalized {
			list, a.Content = &t.normal, t.normalised(a.Content)
		}
		if a.Content != "" {
			*list = append(*list, a)
		}
	}
	if err := t.addPostProcessor(file.PostProcessor); err != nil {
		return nil, err
	}
	if err := t.readModel(file.Model); err != nil {
		return nil, err
	}
	for _, id := range slices.Concat(t.before, t.after) {
		if id < 0 {
			return nil, invalid(tokenizerFile, "a special token has the number %d", id)
		}
		t.size = max(t.size, int(id)+1)
	}
	return t, nil
}

// readModel reads the vocabulary.
func (t *tokenizer) readModel(data json.RawMessage) error {
	var model struct {
		Type         string          `json:"type"`
		Unknown      string          `json:"unk_token"`
		UnknownID    *int32          `json:"unk_id"`
		Prefix       *string         `json:"continuing_subword_prefix"`
		MaxChars     *int            `json:"max_input_chars_per_word"`
		ByteFallback bool            `json:"byte_fallback"`
		Vocab        json.RawMessage `json:"vocab"`
	}
	if err := json.Unmarshal(data, &model); err != nil {
		return &InvalidError{File: tokenizerFile, Problem: "the model cannot be read", Err: err}
	}
	if model.Type == "" && model.MaxChars != nil { // older files omit it
		model.Type = "WordPiece"
	}
	switch model.Type {
	case "WordPiece":
		var vocab map[string]int32
		if err := json.Unmarshal(model.Vocab, &vocab); err != nil {
			return &InvalidError{File: tokenizerFile, Problem: "the vocabulary cannot be read", Err: err}
		}
		for word, id := range vocab {
			if id < 0 {
				return invalid(tokenizerFile, "token %.80q has the number %d", word, id)
			}
			t.size = max(t.size, int(id)+1)
		}
		w := &wordPiece{vocab: vocab, prefix: "##", maxChars: 100, unknown: -1}
		if model.Prefix != nil {
			w.prefix = *model.Prefix
		}
		if model.MaxChars != nil {
			w.maxChars = min(max(*model.MaxChars, 0), 200)
		}
		if id, ok := vocab[model.Unknown]; ok {
			w.unknown = id
		}
		w.measure()
		t.model, t.unknown = w, w.unknown
		return nil
	case "Unigram":
		if model.ByteFallback {
			return invalid(tokenizerFile, "Unigram with byte_fallback is not supported")
		}
		var vocab []unigramEntry
		if err := json.Unmarshal(model.Vocab, &vocab); err != nil {
			return &InvalidError{File: tokenizerFile, Problem: "the vocabulary cannot be read", Err: err}
		}
		if model.UnknownID != nil {
			if t.unknown = *model.UnknownID; t.unknown < 0 || int(t.unknown) >= len(vocab) {
				return invalid(tokenizerFile, "unk_id %d is not in the vocabulary", t.unknown)
			}
		}
		t.model = newUnigram(vocab, t.unknown)
		t.size = max(t.size, len(vocab))
		return nil
	}
	return invalid(tokenizerFile, "the tokenizer model %.40q is not supported; WordPiece and Unigram are", model.Type)
}

func (t *tokenizer) addNormalizer(c *component) error {
	if c == nil {
		return nil
	}
	if c.Type == "Sequence" {
		for i := range c.Normalizers {
			if err := t.addNormalizer(&c.Normalizers[i]); err != nil {
				return err
			}
		}
		return nil
	}
	f, err := c.normalizer()
	t.normalise = append(t.normalise, f)
	return err
}

func (t *tokenizer) addPreTokenizer(c *component) error {
	if c == nil {
		return nil
	}
	if c.Type == "Sequence" {
		for i := range c.Pretokenizers {
			if err := t.addPreTokenizer(&c.Pretokenizers[i]); err != nil {
				return err
			}
		}
		return nil
	}
	f, err := c.preTokenizer()
	t.split = append(t.split, f)
	return err
}

func (t *tokenizer) addPostProcessor(c *component) error {
	if c == nil {
		return nil
	}
	switch c.Type {
	case "Sequence":
		for i := range c.Processors {
			if err := t.addPostProcessor(&c.Processors[i]); err != nil {
				return err
			}
		}
	case "TemplateProcessing":
		text := false // whether the text's position has been passed
		for _, part := range c.Single {
			switch {
			case part.Sequence != nil:
				text = true
			case part.Special == nil:
			case text:
				t.after = append(t.after, c.Specials[part.Special.ID].IDs...)
			default:
				t.before = append(t.before, c.Specials[part.Special.ID].IDs...)
			}
		}
	case "BertProcessing", "RobertaProcessing":
		before, ok := c.Cls[1].(float64)
		after, too := c.Sep[1].(float64)
		if !ok || !too || before != float64(int32(before)) || after != float64(int32(after)) {
			return invalid(tokenizerFile, "%s names no special tokens", c.Type)
		}
		t.before, t.after = []int32{int32(before)}, []int32{int32(after)}
	default:
		return invalid(tokenizerFile, "the post-processor %.40q is not supported", c.Type)
	}
	return nil
}

// parseVocab makes a BERT tokenizer from a vocab.txt, one token per line, and an
// optional tokenizer_config.json beside it.
func parseVocab(vocab, config []byte) (*tokenizer, error) {
	options := struct {
		Lowercase    *bool `json:"do_lower_case"`
		StripAccents *bool `json:"strip_accents"`
		ChineseChars *bool `json:"tokenize_chinese_chars"`
	}{}
	if len(config) > 0 {
		if err := json.Unmarshal(config, &options); err != nil {
			return nil, &InvalidError{File: "tokenizer_config.json", Problem: "not JSON", Err: err}
		}
	}
	w := &wordPiece{vocab: make(map[string]int32), prefix: "##", maxChars: 100}
	lines := bufio.NewScanner(bytes.NewReader(vocab))
	n := int32(0)
	for ; lines.Scan(); n++ {
		w.vocab[lines.Text()] = n
	}
	if err := lines.Err(); err != nil {
		return nil, &InvalidError{File: vocabFile, Problem: "cannot be read", Err: err}
	}
	w.measure()
	t := &tokenizer{model: w, size: int(n)}
	special := make(map[string]int32)
	for _, name := range []string{"[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"} {
		id, ok := w.vocab[name]
		if !ok && name != "[PAD]" && name != "[MASK]" {
			return nil, invalid(vocabFile, "there is no token %s", name)
		}
		if ok {
			special[name] = id
			t.added = append(t.added, addedToken{ID: id, Content: name})
		}
	}
	w.unknown, t.unknown = special["[UNK]"], special["[UNK]"]
	t.before, t.after = []int32{special["[CLS]"]}, []int32{special["[SEP]"]}
	bert := &component{Type: "BertNormalizer", Lowercase: options.Lowercase, StripAccents: options.StripAccents, ChineseChars: options.ChineseChars}
	if err := t.addNormalizer(bert); err != nil {
		return nil, err
	}
	return t, t.addPreTokenizer(&component{Type: "BertPreTokenizer"})
}

// unigramEntry is a piece and its log probability, an array in JSON.
type unigramEntry struct {
	piece string
	score float64
}

func (e *unigramEntry) UnmarshalJSON(data []byte) error {
	var pair []json.RawMessage
	if err := json.Unmarshal(data, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return fmt.Errorf("an entry has %d parts, not 2", len(pair))
	}
	if err := json.Unmarshal(pair[0], &e.piece); err != nil {
		return err
	}
	return json.Unmarshal(pair[1], &e.score)
}
