"""Embeds texts as sentence-transformers does, and prints texts a second.

Usage: embed_texts.py torch|onnxruntime FOLDER TEXTS.json THREADS
The texts are sorted by length, and 32 at a time padded to the longest. Both compute in float32. Needs transformers, tokenizers,
torch; for onnxruntime also onnx and onnxscript, to export the model once to FOLDER/model.onnx.
"""

import json
import os
import sys
import time
from pathlib import Path

KIND, FOLDER, TEXTS, THREADS = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
os.environ["OMP_NUM_THREADS"] = str(THREADS)

import numpy as np
from tokenizers import Tokenizer

BATCH = 32
MAX_TOKENS = 256


def export(path):
    import torch
    from transformers import AutoModel

    class Hidden(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = AutoModel.from_pretrained(FOLDER, attn_implementation="eager").eval()

        def forward(self, input_ids, attention_mask):
            return self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state

    ids = torch.ones((2, 8), dtype=torch.int64)
    axes = {0: torch.export.Dim("texts", min=1, max=4096), 1: torch.export.Dim("tokens", min=2, max=512)}
    torch.onnx.export(Hidden(), (ids, ids), str(path), input_names=["input_ids", "attention_mask"],
                      output_names=["hidden"], dynamic_shapes=(axes, axes), dynamo=True, external_data=False)


def onnx_runner():
    import onnxruntime

    path = FOLDER / "model.onnx"
    if not path.exists():
        export(path)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return lambda ids, mask: session.run(None, {"input_ids": ids, "attention_mask": mask})[0]


def torch_runner():
    import torch
    from transformers import AutoModel

    torch.set_num_threads(THREADS)
    model = AutoModel.from_pretrained(FOLDER).eval()

    def run(ids, mask):
        with torch.inference_mode():
            output = model(input_ids=torch.from_numpy(ids), attention_mask=torch.from_numpy(mask))
            return output.last_hidden_state.numpy()

    return run


def main():
    run = {"torch": torch_runner, "onnxruntime": onnx_runner}[KIND]()
    tokenizer = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.enable_padding()

    def embed(texts):
        order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
        vectors = [None] * len(texts)
        for start in range(0, len(order), BATCH):
            places = order[start:start + BATCH]
            encodings = tokenizer.encode_batch([texts[i] for i in places])
            ids = np.array([e.ids for e in encodings], dtype=np.int64)
            mask = np.array([e.attention_mask for e in encodings], dtype=np.int64)
            hidden = run(ids, mask)
            means = (hidden * mask[:, :, None]).sum(1) / mask.sum(1)[:, None]
            means /= np.linalg.norm(means, axis=1, keepdims=True)
            for i, vector in zip(places, means):
                vectors[i] = vector
        return vectors

    texts = json.loads(TEXTS.read_text())
    embed(texts[:200])
    started = time.perf_counter()
    embed(texts)
    print(len(texts) / (time.perf_counter() - started))


main()
