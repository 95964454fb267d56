"""Greedy continuations of a folder by transformers and by mlx-lm, in float32 on the CPU."""

import copy
import logging
from pathlib import Path

import mlx.core as mx
import numpy as np
import torch
from mlx_lm.models.cache import make_prompt_cache
from mlx_lm.utils import load_model
from transformers import AutoConfig, AutoModelForCausalLM, DynamicCache

logging.getLogger("transformers").setLevel(logging.ERROR)


def shapes(config: dict) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the tensors of a transformers checkpoint with this config.json."""
    # AutoConfig writes into what it is given.
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(AutoConfig.for_model(**copy.deepcopy(config)))
    tied = set(model._tied_weights_keys or {}) if model.config.tie_word_embeddings else set()
    return {k: tuple(v.shape) for k, v in model.state_dict().items() if k not in tied}


class Transformers:
    def __init__(self, folder: Path, cached: bool):
        self.folder, self.cached = folder, cached

    def _load(self):
        model, info = AutoModelForCausalLM.from_pretrained(
            self.folder, dtype=torch.float32, output_loading_info=True, attn_implementation="eager"
        )
        wrong = {k: v for k, v in info.items() if v}
        if wrong:
            raise SystemExit(f"{self.folder}: transformers found {wrong}")
        return model.eval()

    def run(self, prompt: list[int], steps: int, forced: list[int] | None = None) -> tuple[list[int], np.ndarray]:
        """Ids [steps] and log-probabilities [steps, vocabulary]; along `forced` if given."""
        model = self._load()  # anew: with dynamic rope it remembers the longest text that it has seen
        cache = DynamicCache(config=model.config) if self.cached else None
        ids, rows, text, feed = [], [], list(prompt), list(prompt)
        with torch.no_grad():
            for step in range(steps):
                output = model(torch.tensor([feed]), past_key_values=cache, use_cache=self.cached)
                row = torch.log_softmax(output.logits[0, -1].float(), -1).numpy()
                ids.append(forced[step] if forced else int(row.argmax()))
                rows.append(row)
                text.append(ids[-1])
                feed = ids[-1:] if self.cached else text
        return ids, np.stack(rows)


class MlxLm:
    def __init__(self, folder: Path, changes: dict):
        mx.set_default_device(mx.cpu)
        self.model, _ = load_model(folder, model_config=changes)
        self.model.set_dtype(mx.float32)
        self.model.eval()

    def run(self, prompt: list[int], steps: int, forced: list[int] | None = None) -> tuple[list[int], np.ndarray]:
        cache = make_prompt_cache(self.model)
        ids, rows, feed = [], [], list(prompt)
        for step in range(steps):
            logits = self.model(mx.array([feed]), cache=cache)[0, -1].astype(mx.float32)
            row = np.array(logits - mx.logsumexp(logits, axis=-1, keepdims=True))
            ids.append(forced[step] if forced else int(row.argmax()))
            rows.append(row)
            feed = ids[-1:]
        return ids, np.stack(rows)
