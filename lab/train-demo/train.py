"""Trains the adapter. Conversations that share a tool list are packed as branches behind one prefix."""

import argparse
import itertools
import math
import os
import tempfile
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F

from base_model import CACHE, IM_END, load_tokenizer
from export import exported_state
from make_data import groups
from model import Model, shared_weights, widened
from tools import render

IM_START = 1
EMPTY = "<|im_start|>system\n<|im_end|>\n"


def branch_tokens(tok, messages, header):
    """The tokens behind the shared prefix, and which are learned: the assistant's, but for what is `given`."""
    text = render([{"role": "system", "content": ""}] + messages, [])
    if messages[-1].get("open"):
        text = text.removesuffix("<|im_end|>\n")
    ids = tok.encode(text[len(EMPTY):]).ids
    answers = iter([m for m in messages if m["role"] == "assistant"])
    learn, inside = [], False
    for i, t in enumerate(ids):
        learn.append(inside)
        if t == IM_END:
            inside = False
        elif tuple(ids[max(0, i + 1 - len(header)):i + 1]) == header:
            inside = not next(answers).get("given")
    return ids, learn


def pack(tok, group, header, limit):
    """One sequence: the shared prefix, then as many branches as fit, each blind to the others."""
    prefix = tok.encode(render([{"role": "system", "content": group["system"]}], group["tools"])).ids
    ids, learn, pos, part = list(prefix), [False] * len(prefix), list(range(len(prefix))), [0] * len(prefix)
    for k, messages in enumerate(group["branches"], 1):
        b, l = branch_tokens(tok, messages, header)
        if k > 1 and len(ids) + len(b) > limit:
            continue
        ids += b
        learn += l
        pos += range(len(prefix), len(prefix) + len(b))
        part += [k] * len(b)
    return (ids, learn, pos, part) if len(ids) <= limit + 200 else None


def batches(tok, seed, limit, budget, workers):
    """Batches for the workers in turn; those of one step are about as long, so that none waits for the other."""
    header = tuple(tok.encode("<|im_start|>assistant\n").ids)
    gen = torch.Generator().manual_seed(seed)
    for chunk in range(10 ** 6):
        packed = [p for g in groups(seed * 100003 + chunk, 48) if (p := pack(tok, g, header, limit))]
        packed.sort(key=lambda p: len(p[0]))
        found, at = [], 0
        while at < len(packed):
            n = 1
            while at + n < len(packed) and (n + 1) * len(packed[at + n][0]) <= budget:
                n += 1
            found.append(packed[at:at + n])
            at += n
        for i in torch.randperm(len(found) // workers, generator=gen).tolist():
            yield from found[i * workers:(i + 1) * workers]


def tensors(batch):
    # Few lengths, since every new one costs memory that is never given back.
    n, t = len(batch), -(-max(len(b[0]) for b in batch) // 32) * 32
    ids, pos = torch.full((n, t), IM_END), torch.zeros(n, t, dtype=torch.long)
    part, learn = torch.full((n, t), -1), torch.zeros(n, t, dtype=torch.bool)
    for r, (i, l, p, k) in enumerate(batch):
        for target, value in ((ids, i), (learn, l), (pos, p), (part, k)):
            target[r, :len(i)] = torch.tensor(value)
    same = (part[:, :, None] == part[:, None, :]) | (part[:, None, :] == 0)
    mask = same & torch.ones(t, t, dtype=torch.bool).tril()
    return ids, pos, mask[:, None], learn


def work(rank, a, meeting, shared):
    # One thread to a worker: workers meet once a step, threads would meet at every operation.
    torch.set_num_threads(1)
    tok, model = load_tokenizer(), Model(compiled=True)
    params = model.add_lora(a.seed)
    if a.resume:
        model.load_lora(widened(exported_state(a.resume) if os.path.isdir(a.resume) else torch.load(a.resume), a.seed))
    model.merged, model.merged_t = shared
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=a.workers)
    # The second factor learns faster than the first (LoRA+, Hayou et al. 2024).
    opt = torch.optim.AdamW([{"params": params[0::2], "part": 1.0}, {"params": params[1::2], "part": a.b_rate}], lr=a.lr, betas=(0.9, 0.98), weight_decay=0.0)
    start, tokens, branches, smooth, done, step = time.time(), 0, 0, None, 0.0, 0
    mine = itertools.islice(batches(tok, a.seed, a.limit, a.budget, a.workers), rank, None, a.workers)
    while done < 1:
        rate = a.lr * min(1, (step + 1) / a.warm) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * done)))
        for g in opt.param_groups:
            g["lr"] = rate * g["part"]
        model.merge(rank, a.workers)
        batch = next(mine)
        dist.barrier()
        ids, pos, mask, learn = tensors(batch)
        h = model.hidden(ids, pos, mask)
        keep = torch.cat([learn[:, 1:], torch.zeros(len(batch), 1, dtype=torch.bool)], 1)
        where = keep.reshape(-1).nonzero().squeeze(1)
        loss = F.cross_entropy(model.logits(h[where]).float(), ids.reshape(-1)[where + 1])
        loss.backward()
        step += 1
        done = max(step / a.steps, (time.time() - start) / 60 / a.minutes)
        count = [loss.item(), done, ids.numel(), sum(max(b[3]) for b in batch)]
        flat = torch.cat([p.grad.reshape(-1) for p in params] + [torch.tensor(count)]) / a.workers
        dist.all_reduce(flat)
        at = 0
        for p in params:
            p.grad.copy_(flat[at:at + p.numel()].view_as(p))
            at += p.numel()
        torch.nn.utils.clip_grad_norm_(params, 1.0)
        opt.step()
        opt.zero_grad(set_to_none=False)
        loss, done, more, packed = flat[at:].tolist()
        tokens, branches = tokens + round(more * a.workers), branches + round(packed * a.workers)
        smooth = loss if smooth is None else 0.9 * smooth + 0.1 * loss
        if rank == 0 and (step % 5 == 0 or step < 10):
            print(f"step {step} loss {smooth:.4f} lr {rate:.2e} tokens {tokens} conversations {branches} "
                  f"{tokens / (time.time() - start):.0f} tok/s {time.time() - start:.0f}s", flush=True)
        if rank == 0 and step % 20 == 0:
            torch.save(model.lora_state(), Path(a.out))
    dist.destroy_process_group()
    if rank:
        return
    torch.save(model.lora_state(), Path(a.out))
    print(f"done: {step} steps, {tokens} tokens, {branches} conversations, loss {smooth:.4f}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=600)
    p.add_argument("--minutes", type=float, default=1e9, help="ends the schedule early when time runs out")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--b-rate", type=float, default=1.0, help="the second factor's rate, in rates of the first")
    p.add_argument("--resume", help="a checkpoint, or the folder of an exported adapter, to go on from")
    p.add_argument("--out", default=str(CACHE / "adapter.pt"))
    p.add_argument("--limit", type=int, default=460)
    p.add_argument("--budget", type=int, default=1900, help="tokens to a worker's batch")
    p.add_argument("--workers", type=int, default=2)
    p.add_argument("--warm", type=int, default=20)
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(work, (a, os.path.join(folder, "meeting"), shared_weights()), a.workers)


if __name__ == "__main__":
    main()
