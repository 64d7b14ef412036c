"""Makes a Hugging Face folder of a BERT-family encoder that was published as ONNX.

    python fromonnx.py MODEL.onnx TOKENIZER.json FOLDER cls|mean [QUERY_PROMPT DOCUMENT_PROMPT] < texts > reference.jsonl

Each line of the input is a text. The output is what ONNX Runtime makes of it as a
document: {"text", "ids", "vector"}, for EBB_ENCODER_REFERENCE.
"""

import json
import os
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper
from safetensors.numpy import save_file
from tokenizers import Tokenizer

source, tokenizer, folder, pooling = sys.argv[1:5]
query, document = (sys.argv[5:7] + ["", ""])[:2]
graph = onnx.load(source).graph
weights = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
made_by = {out: node for node in graph.node for out in node.output}

tensors = {n: w for n, w in weights.items() if n.startswith(("embeddings.", "encoder.")) and w.dtype == np.float32}
for node in graph.node:  # matrices have lost their names, biases have not
    bias = [i for i in node.input if i in weights and i.endswith(".bias")]
    product = [i for i in node.input if i in made_by and made_by[i].op_type == "MatMul"]
    if node.op_type == "Add" and bias and product:
        matrix = next(i for i in made_by[product[0]].input if i in weights)
        tensors[bias[0].removesuffix("bias") + "weight"] = weights[matrix].T

words, size = tensors["embeddings.word_embeddings.weight"].shape
layers = 1 + max(int(n.split(".")[2]) for n in tensors if n.startswith("encoder.layer."))
config = {
    "model_type": "bert", "hidden_act": "gelu", "hidden_size": size, "num_hidden_layers": layers,
    "num_attention_heads": size // (64 if size > 384 else 32), "vocab_size": words,
    "intermediate_size": tensors["encoder.layer.0.intermediate.dense.weight"].shape[0],
    "max_position_embeddings": tensors["embeddings.position_embeddings.weight"].shape[0],
    "type_vocab_size": 2, "layer_norm_eps": 1e-12, "position_embedding_type": "absolute",
}
modules = ["Transformer", "Pooling", "Normalize"]
os.makedirs(folder + "/1_Pooling", exist_ok=True)
save_file({n: np.ascontiguousarray(w) for n, w in tensors.items()}, folder + "/model.safetensors")
for name, content in {
    "config": config,
    "modules": [{"idx": i, "name": str(i), "path": "1_Pooling" if m == "Pooling" else "", "type": "sentence_transformers.models." + m} for i, m in enumerate(modules)],
    "1_Pooling/config": {"word_embedding_dimension": size, f"pooling_mode_{pooling}_token{'s' * (pooling == 'mean')}": True},
    "sentence_bert_config": {"max_seq_length": 512, "do_lower_case": False},
    "config_sentence_transformers": {"prompts": {"query": query, "document": document}},
    "tokenizer": json.load(open(tokenizer)),
}.items():
    json.dump(content, open(f"{folder}/{name}.json", "w"), ensure_ascii=False)

encode = Tokenizer.from_file(tokenizer)
encode.no_padding()
encode.enable_truncation(512)
session = onnxruntime.InferenceSession(source, providers=["CPUExecutionProvider"])
for line in sys.stdin:
    text = line.rstrip("\n")
    ids = encode.encode(document + text).ids
    batch = np.array([ids], dtype=np.int64)
    states = session.run(None, {"input_ids": batch, "attention_mask": np.ones_like(batch), "token_type_ids": np.zeros_like(batch)})[0][0]
    vector = states[0] if pooling == "cls" else states.mean(0)
    vector = (vector / np.linalg.norm(vector)).tolist()
    print(json.dumps({"text": text, "ids": ids, "vector": vector}, ensure_ascii=False))
