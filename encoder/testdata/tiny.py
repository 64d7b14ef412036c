"""Makes the random models in this folder, each with what the reference
implementation makes of texts.txt.

    python tiny.py

Needs sentence-transformers, sentencepiece and model2vec.
"""

import io
import json
import pathlib
import random
import shutil

import numpy
import sentencepiece
import torch
from model2vec import StaticModel
from sentencepiece import sentencepiece_model_pb2
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import Normalize, Pooling, StaticEmbedding, Transformer
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast, XLMRobertaConfig, XLMRobertaModel

here = pathlib.Path(__file__).parent
texts = (here / "texts.txt").read_text().rstrip("\n").split("\n")
torch.manual_seed(1)


def fresh(name):
    shutil.rmtree(here / name, ignore_errors=True)
    (here / name).mkdir()
    return here / name


def scatter(model):
    """Makes all parameters matter: defaults are zeros, ones and tiny numbers."""
    for name, p in model.named_parameters():
        torch.nn.init.normal_(p, mean=1 if name.endswith("LayerNorm.weight") else 0, std=0.3)
    return model.eval()


def slim(folder):
    """Removes what nobody reads."""
    for name in ["README.md", "special_tokens_map.json"]:
        (folder / name).unlink(missing_ok=True)


def expect(folder, ids, vectors):
    with open(folder / "reference.jsonl", "w") as f:
        for text, i, v in zip(texts, ids, vectors):
            scale = 1000 / max(float(numpy.linalg.norm(v)), 1e-9)
            entry = {"text": text, "ids": [int(n) for n in i], "vector": [round(float(x) * scale) for x in v]}
            f.write(json.dumps(entry, ensure_ascii=False) + "\n")


def expect_from(folder, name):
    model = SentenceTransformer(str(folder), device="cpu", model_kwargs={"dtype": "float32"} if name else {})
    prompt = model.prompts.get("document", "") or ""
    tokenizer = model.tokenizer
    limit = model.max_seq_length
    ids = []
    for text in texts:
        if name:
            ids.append(tokenizer(prompt + text, truncation=True, max_length=limit)["input_ids"])
        else:
            ids.append(tokenizer.encode(text, add_special_tokens=False).ids)
    expect(folder, ids, model.encode_document(texts))


def wordpiece():
    letters = sorted({c for t in texts for c in t.lower() if c.isascii() and not c.isspace()})
    words = ["the", "to", "and", "in", "of", "is", "my", "was", "we", "for", "i", "have", "do", "##ing", "##ed", "##er", "##an", "##ou", "上", "海", "и", "##т", "café", "cafe"]
    entries = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    entries += [e for e in dict.fromkeys(letters + ["##" + c for c in letters if c.isalnum()] + words)]
    vocab = {e: i for i, e in enumerate(entries)}
    t = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    t.normalizer = normalizers.BertNormalizer()
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    t.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    return t


def unigram():
    """A small SentencePiece model with replacement rules of its own."""
    rules = here / "rules.tsv"
    rules.write_text("".join(f"{' '.join(f'{ord(c):X}' for c in a)}\t{' '.join(f'{ord(c):X}' for c in b)}\n" for a, b in
                             [("\t", " "), ("\u00a0", " "), ("\u200b", ""), ("…", "..."), ("é", "e"), ("e\u0301", "e"), ("！", "!"), ("å", "aa")]))
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts), model_writer=out, vocab_size=260, character_coverage=0.98, model_type="unigram",
        normalization_rule_tsv=str(rules), unk_id=3, bos_id=0, pad_id=1, eos_id=2, hard_vocab_limit=False, minloglevel=2)
    rules.unlink()
    proto = sentencepiece_model_pb2.ModelProto.FromString(out.getvalue())
    vocab = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)] + [(p.piece, p.score) for p in proto.pieces[4:]] + [("<mask>", 0.0)]
    t = Tokenizer(models.Unigram(vocab, unk_id=3, byte_fallback=False))
    t.normalizer = normalizers.Sequence([normalizers.Precompiled(proto.normalizer_spec.precompiled_charsmap), normalizers.Replace(Regex(" {2,}"), " ")])
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    t.post_processor = processors.TemplateProcessing(single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    t.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>", AddedToken("<mask>", lstrip=True)])
    return t


def save(name, network, fast, mode, prompts, dtype, length):
    folder = fresh(name)
    parts = here / "parts"
    network.to(dtype).save_pretrained(parts)
    fast.save_pretrained(parts)
    transformer = Transformer(str(parts), max_seq_length=length)
    modules = [transformer, Pooling(network.config.hidden_size, pooling_mode=mode)]
    if name == "bert":
        modules.append(Normalize())
    model = SentenceTransformer(modules=modules, device="cpu", prompts=prompts)
    model.to(dtype).save(str(folder))
    shutil.rmtree(parts)
    expect_from(folder, name)
    slim(folder)


def bert():
    t = wordpiece()
    network = scatter(BertModel(BertConfig(vocab_size=t.get_vocab_size(), hidden_size=20, num_hidden_layers=2, num_attention_heads=2, intermediate_size=28, max_position_embeddings=40), add_pooling_layer=False))
    fast = PreTrainedTokenizerFast(tokenizer_object=t, unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]", pad_token="[PAD]", mask_token="[MASK]", model_max_length=32)
    save("bert", network, fast, "mean", {"query": "query: ", "document": "passage: "}, torch.bfloat16, 32)


def roberta():
    t = unigram()
    network = scatter(XLMRobertaModel(XLMRobertaConfig(vocab_size=t.get_vocab_size(), hidden_size=24, num_hidden_layers=1, num_attention_heads=3, intermediate_size=50, max_position_embeddings=50, type_vocab_size=1, hidden_act="gelu_new", pad_token_id=1), add_pooling_layer=False))
    fast = PreTrainedTokenizerFast(tokenizer_object=t, bos_token="<s>", eos_token="</s>", unk_token="<unk>", cls_token="<s>", sep_token="</s>", pad_token="<pad>", mask_token="<mask>", model_max_length=48)
    save("xlm-roberta", network, fast, "cls", {}, torch.float16, 48)


def model2vec():
    t = wordpiece()
    t.post_processor = None
    rows = numpy.random.default_rng(1).normal(size=(40, 16)).astype("float16")
    n = t.get_vocab_size()
    rng = numpy.random.default_rng(2)
    folder = fresh("model2vec")
    model = StaticModel(rows, t, normalize=True, weights=rng.uniform(0.5, 1.5, n), token_mapping=rng.integers(0, 40, n))
    model.save_pretrained(folder)
    slim(folder)
    loaded = StaticModel.from_pretrained(folder)
    ids = [[i for i in loaded.tokenizer.encode(x, add_special_tokens=False).ids if i != 1] for x in texts]
    expect(folder, ids, loaded.encode(texts))


def static():
    t = wordpiece()
    t.post_processor = None
    folder = fresh("static")
    rows = numpy.random.default_rng(3).normal(size=(t.get_vocab_size(), 12)).astype("float32")
    SentenceTransformer(modules=[StaticEmbedding(t, embedding_weights=rows)], device="cpu").save(str(folder))
    expect_from(folder, None)
    slim(folder)


bert()
roberta()
model2vec()
static()
