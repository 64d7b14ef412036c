"""Prints what ONNX Runtime makes of texts, one JSON object a line as reference.py does.

    python int8.py MODEL.onnx tokenizer.json < texts > reference.jsonl

The vector is the mean of the states that the model returns for the tokens.
"""

import json
import sys

import numpy
import onnxruntime
from tokenizers import Tokenizer

session = onnxruntime.InferenceSession(sys.argv[1])
tokenizer = Tokenizer.from_file(sys.argv[2])
tokenizer.no_padding()
tokenizer.enable_truncation(256)
for line in sys.stdin:
    text = line.rstrip("\n")
    ids = tokenizer.encode(text).ids
    row = numpy.array([ids], numpy.int64)
    given = {"input_ids": row, "attention_mask": numpy.ones_like(row), "token_type_ids": numpy.zeros_like(row)}
    vector = session.run(None, given)[0][0].mean(axis=0)
    vector = vector / numpy.linalg.norm(vector)
    print(json.dumps({"text": text, "ids": ids, "vector": [round(float(x) * 10000) for x in vector]}, ensure_ascii=False))
