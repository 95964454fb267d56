"""Makes test/golden/encoders/minilm.json: ids and vectors of test/fixtures/sentences.json by all-MiniLM-L6-v2.

Usage: minilm.py FOLDER, with the folder that holds its config.json. By transformers in float32, with the mean of the
tokens, scaled to length 1. Vectors are rounded to float16, which turns them by less than 1e-7 (cosine).
"""

import base64
import hashlib
import json
import sys
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import AutoModel

TEST = Path(__file__).parents[2] / "test"


def main(folder):
    sentences = json.loads((TEST / "fixtures" / "sentences.json").read_text())
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    model = AutoModel.from_pretrained(folder).eval()
    ids, vectors = [], []
    for sentence in sentences:
        encoding = tokenizer.encode(sentence)
        with torch.no_grad():
            hidden = model(input_ids=torch.tensor([encoding.ids])).last_hidden_state[0]
        vector = hidden.mean(0)
        vectors.append((vector / vector.norm()).numpy())
        ids.append(encoding.ids)
    stacked = np.stack(vectors)
    # Neighbours, mostly of one topic, and sentences further apart.
    places = [(i % 100, (i + 1 + i // 100 * 7) % 100) for i in range(200)]
    scores = [float(stacked[a].astype(np.float64) @ stacked[b].astype(np.float64)) for a, b in places]
    weights = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    golden = {
        "weights": weights, "ids": ids,
        "pairs": [[a, b, round(score, 8)] for (a, b), score in zip(places, scores)],
        "vectors": base64.b64encode(stacked.astype("<f2").tobytes()).decode(),
    }
    (TEST / "golden" / "encoders" / "minilm.json").write_text(json.dumps(golden) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
