"""Prints what sentence-transformers makes of texts, one JSON object a line.

    python reference.py MODEL_FOLDER [query] < texts > reference.jsonl

Each line of the input is a text. The output is {"text", "ids", "vector"}; the
numbers of the vector are ten thousandths, rounded.
"""

import json
import sys

from sentence_transformers import SentenceTransformer

model = SentenceTransformer(sys.argv[1], device="cpu")
encode = model.encode_query if sys.argv[2:] == ["query"] else model.encode_document
for line in sys.stdin:
    text = line.rstrip("\n")
    ids = model.tokenize([text])["input_ids"]
    ids = ids[0].tolist() if len(ids.shape) == 2 else ids.tolist()
    vector = [round(float(x) * 10000) for x in encode(text)]
    print(json.dumps({"text": text, "ids": ids, "vector": vector}, ensure_ascii=False))
