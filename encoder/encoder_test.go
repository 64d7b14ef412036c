package encoder

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// copyModel copies a model of testdata to a folder that may be changed.
func copyModel(t testing.TB, name string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))))
	return dir
}

func write(t testing.TB, dir, name, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
}

// Random models of each family give what the reference implementation gives.
func TestRandomModelsAreTheReference(t *testing.T) {
	for name, dims := range map[string]int{"bert": 20, "xlm-roberta": 24, "model2vec": 16, "static": 12} {
		t.Run(name, func(t *testing.T) {
			e, err := Open(filepath.Join("testdata", name))
			require.NoError(t, err)
			require.Equal(t, dims, e.Dims())
			all := readReference(t, filepath.Join("testdata", name, "reference.jsonl"))
			if name == "model2vec" { // the reference lists known tokens only, and has zeros where there are none
				all = slices.DeleteFunc(all, func(r reference) bool { return len(r.IDs) == 0 })
				for i := range all {
					all[i].IDs = nil
				}
			}
			requireReference(t, e, all, func(texts []string) ([][]float32, error) { return e.EmbedDocuments(t.Context(), texts) })
		})
	}
}

// A vocab.txt says the same as the tokenizer.json with these words.
func TestVocabFile(t *testing.T) {
	dir := copyModel(t, "bert")
	data, err := os.ReadFile(filepath.Join(dir, tokenizerFile))
	require.NoError(t, err)
	var file struct {
		Model struct{ Vocab map[string]int }
	}
	require.NoError(t, json.Unmarshal(data, &file))
	lines := make([]string, len(file.Model.Vocab))
	for word, id := range file.Model.Vocab {
		lines[id] = word + "\n"
	}
	text := ""
	for _, line := range lines {
		text += line
	}
	write(t, dir, vocabFile, text)
	require.NoError(t, os.Remove(filepath.Join(dir, tokenizerFile)))
	e, err := Open(dir)
	require.NoError(t, err)
	requireReference(t, e, readReference(t, "testdata/bert/reference.jsonl"), func(texts []string) ([][]float32, error) {
		return e.EmbedDocuments(t.Context(), texts)
	})
}

func TestPromptsPrecedeTexts(t *testing.T) {
	prompted, err := Open("testdata/bert")
	require.NoError(t, err)
	dir := copyModel(t, "bert")
	require.NoError(t, os.Remove(filepath.Join(dir, "config_sentence_transformers.json")))
	plain, err := Open(dir)
	require.NoError(t, err)
	query, err := prompted.EmbedQuery(t.Context(), "Which car?")
	require.NoError(t, err)
	documents, err := prompted.EmbedDocuments(t.Context(), []string{"Which car?"})
	require.NoError(t, err)
	want, err := plain.EmbedDocuments(t.Context(), []string{"query: Which car?", "passage: Which car?"})
	require.NoError(t, err)
	require.InDelta(t, 1, cosine(want[0], query), 1e-6)
	require.InDelta(t, 1, cosine(want[1], documents[0]), 1e-6)
	require.Less(t, cosine(query, documents[0]), 0.999)
}

func TestIDOfFiles(t *testing.T) {
	open := func(dir string) string {
		e, err := Open(dir)
		require.NoError(t, err)
		return e.ID()
	}
	id, dir := open("testdata/bert"), copyModel(t, "bert")
	require.Regexp(t, `^bert-20-[0-9a-f]{16}$`, id)
	require.Equal(t, id, open(dir), "the folder does not count")
	write(t, dir, "README.md", "Licence: ours.")
	require.Equal(t, id, open(dir), "files that are not read do not count")
	write(t, dir, "1_Pooling/config.json", `{"pooling_mode_max_tokens": true}`)
	require.NotEqual(t, id, open(dir), "the same weights used differently are another model")
}

func TestConcurrentUse(t *testing.T) {
	e, err := Open("testdata/bert")
	require.NoError(t, err)
	all := readReference(t, "testdata/bert/reference.jsonl")
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for _, r := range all {
				vectors, err := e.EmbedDocuments(context.Background(), []string{r.Text})
				if err != nil || cosine(r.Vector, vectors[0]) < 0.99999 {
					t.Errorf("%q: %v", r.Text, err)
				}
			}
		})
	}
	wait.Wait()
}

func TestEmptyAndLongInputs(t *testing.T) {
	e, err := Open("testdata/bert")
	require.NoError(t, err)
	none, err := e.EmbedDocuments(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, none)
	long := ""
	for range 2000 {
		long += "word "
	}
	for _, text := range []string{"", " ", "\x00", "\xff\xfe", long} {
		v, err := e.EmbedQuery(t.Context(), text)
		require.NoError(t, err)
		require.InDelta(t, 1, cosine(v, v), 1e-6, "%.20q", text)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = e.EmbedQuery(ended, "text")
	require.ErrorIs(t, err, context.Canceled)
	_, err = e.EmbedDocuments(ended, []string{"one", "two", "three"})
	require.ErrorIs(t, err, context.Canceled)
}

// A text without a known token has a vector too: zeros cannot be compared.
func TestNothingKnown(t *testing.T) {
	e, err := Open("testdata/model2vec")
	require.NoError(t, err)
	unknown, err := e.EmbedQuery(t.Context(), "とても")
	require.NoError(t, err)
	for _, name := range []string{"model2vec", "static"} {
		e, err := Open(filepath.Join("testdata", name))
		require.NoError(t, err)
		for _, text := range []string{"", " ", "\x00", "\u200b"} {
			v, err := e.EmbedQuery(t.Context(), text)
			require.NoError(t, err)
			require.InDelta(t, 1, cosine(v, v), 1e-6, "%s: %q", name, text)
			if name == "model2vec" {
				require.InDelta(t, 1, cosine(v, unknown), 1e-6, "%q", text)
			}
		}
	}
}

// What is not supported is refused by its name.
func TestRefused(t *testing.T) {
	for name, c := range map[string]struct{ file, content, says string }{
		"family":        {"config.json", `{"model_type": "mpnet", "hidden_size": 20}`, `config.json: the model_type "mpnet" is not supported`},
		"activation":    {"config.json", `{"model_type": "bert", "hidden_size": 20, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 28, "hidden_act": "swiglu"}`, `"swiglu"`},
		"heads":         {"config.json", `{"model_type": "bert", "hidden_size": 20, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 28}`, "num_attention_heads 3"},
		"layers":        {"config.json", `{"model_type": "bert", "hidden_size": 20, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 28}`, `no tensor "encoder.layer.2.`},
		"width":         {"config.json", `{"model_type": "bert", "hidden_size": 22, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 28}`, "shape"},
		"huge":          {"config.json", `{"model_type": "bert", "hidden_size": 4000000000, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 28}`, "hidden_size"},
		"positions":     {"config.json", `{"model_type": "bert", "hidden_size": 20, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 28, "position_embedding_type": "relative_key"}`, `"relative_key"`},
		"config":        {"config.json", `{`, "config.json: cannot be read"},
		"module":        {"modules.json", `[{"type": "x.Transformer"}, {"type": "x.Dense", "path": "2_Dense"}]`, `module 1 of type "x.Dense"`},
		"outside":       {"modules.json", `[{"type": "x.Transformer", "path": "../other"}]`, "outside the model folder"},
		"pooling":       {"1_Pooling/config.json", `{"pooling_mode": "lasttoken"}`, "1_Pooling/config.json: this pooling"},
		"two poolings":  {"1_Pooling/config.json", `{"pooling_mode_cls_token": true, "pooling_mode_max_tokens": true}`, "this pooling"},
		"prompt":        {"1_Pooling/config.json", `{"pooling_mode": "mean", "include_prompt": false}`, "include_prompt"},
		"length":        {"sentence_bert_config.json", `{"max_seq_length": 0}`, "at most 0 tokens"},
		"byte-level":    {"tokenizer.json", `{"model": {"type": "BPE", "vocab": {}}}`, `tokenizer model "BPE"`},
		"normalizer":    {"tokenizer.json", `{"normalizer": {"type": "Nmt"}, "model": {"type": "WordPiece", "vocab": {}}}`, `normalizer "Nmt"`},
		"pre-tokenizer": {"tokenizer.json", `{"pre_tokenizer": {"type": "ByteLevel"}, "model": {"type": "WordPiece", "vocab": {}}}`, `pre-tokenizer "ByteLevel"`},
		"no specials":   {"tokenizer.json", `{"model": {"type": "WordPiece", "vocab": {"a": 0}}}`, "special tokens"},
		"many tokens":   {"tokenizer.json", `{"model": {"type": "WordPiece", "vocab": {"a": 2000000000}}}`, "the tokenizer has 2000000001 tokens, the model 115"},
		"negative":      {"tokenizer.json", `{"model": {"type": "WordPiece", "vocab": {"a": -1}}}`, "number -1"},
		"weights":       {"model.safetensors", "not weights, but long enough", "model.safetensors: the header claims"},
		"empty":         {"model.safetensors", "", "cut short"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := copyModel(t, "bert")
			write(t, dir, c.file, c.content)
			_, err := Open(dir)
			var invalid *InvalidError
			require.ErrorAs(t, err, &invalid)
			require.ErrorContains(t, err, c.says)
		})
	}
	t.Run("nothing there", func(t *testing.T) {
		_, err := Open(t.TempDir())
		require.ErrorIs(t, err, os.ErrNotExist)
		require.ErrorContains(t, err, "config.json")
	})
	t.Run("a folder in place of a file", func(t *testing.T) {
		dir := copyModel(t, "bert")
		require.NoError(t, os.Remove(filepath.Join(dir, weightsFile)))
		require.NoError(t, os.Mkdir(filepath.Join(dir, weightsFile), 0o700))
		_, err := Open(dir)
		require.ErrorContains(t, err, "not a file")
	})
}
