// Package encoder computes sentence embeddings locally in pure Go, without cgo, network
// access or a separate process. [Open] reads a model folder in the Hugging Face layout
// and returns an [Encoder], which implements langchaingo's embeddings.Embedder.
//
// Supported are
//   - static embeddings: Model2Vec (model.safetensors, tokenizer.json,
//     config.json) and sentence-transformers' StaticEmbedding;
//   - sentence encoders of the BERT family (model_type bert, roberta,
//     xlm-roberta) in fp32, fp16 or bf16, with mean, CLS or max pooling;
//     [Int8] holds them in 8 bits.
//
// Tokenizers are WordPiece and Unigram (SentencePiece) from tokenizer.json, or
// WordPiece from vocab.txt. Pooling and normalisation come from modules.json,
// prompts from config_sentence_transformers.json, the length limit from
// sentence_bert_config.json. Longer texts are truncated.
//
// [Open] returns an [*InvalidError] for a model that needs an unsupported feature.
// Model files are untrusted: a damaged file gives an error, and memory use is bounded
// by the size of the files and of the texts.
package encoder
