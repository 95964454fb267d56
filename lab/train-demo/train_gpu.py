"""Trains the adapter on one CUDA device: millions of tokens in minutes. Conversations as in train.py."""

import argparse
import math
import time
from pathlib import Path

import numpy as np
import torch
import torch.multiprocessing as mp
import torch.nn.functional as F
from torch.nn.attention.flex_attention import BlockMask, flex_attention

from base_model import CACHE, HEAD_DIM, HEADS, HIDDEN, IM_END, KV_HEADS, LAYERS, ROPE_BASE, load_tokenizer, load_weights
from export import exported_state
from make_data import groups
from model import FUSED, RANK, SCALE, rms_norm, rope, swiglu, widened
from train import pack

BLOCK = 128  # tokens of a block of the attention's mask


def producing(queue, seed, worker, limit, budget):
    """Puts rows of `budget` tokens into the queue for ever: sequences one after another, padded at the end."""
    torch.set_num_threads(1)
    tok = load_tokenizer()
    header = tuple(tok.encode("<|im_start|>assistant\n").ids)
    waiting, size = [], 0
    for chunk in range(10 ** 9):
        for group in groups((seed * 1009 + worker) * 100003 + chunk, 32):
            packed = pack(tok, group, header, limit)
            if not packed:
                continue
            if size + len(packed[0]) > budget:
                queue.put((row(waiting, budget), sum(max(one[3]) for one in waiting), size))
                waiting, size = [], 0
            waiting.append(packed)
            size += len(packed[0])


def row(sequences, budget):
    """Ids, which of them are learnt, positions, branches and where each one's sequence starts: [5, budget]."""
    made, at = np.zeros((5, budget), np.int32), 0
    made[0] = IM_END
    for ids, learn, pos, part in sequences:
        there = slice(at, at + len(ids))
        made[:4, there] = ids, learn, pos, part
        made[4, there] = at
        at += len(ids)
    made[3, at:] = -1
    made[4, at:] = np.arange(at, budget)
    return made


class Lora(torch.nn.Module):
    """The frozen model with the adapter's factors as parameters."""

    def __init__(self, device, seed):
        super().__init__()
        w = load_weights()
        self.embed, self.norm = w["embed"].to(device, torch.bfloat16), w["norm"].to(device)
        self.norms = [(l["norm1"].to(device), l["norm2"].to(device)) for l in w["layers"]]
        self.base = [{k: l[k].to(device, torch.bfloat16) for k in FUSED} for l in w["layers"]]
        angle = torch.outer(torch.arange(4096).float(), 1.0 / ROPE_BASE ** (torch.arange(0, HEAD_DIM, 2).float() / HEAD_DIM))
        self.cos, self.sin = angle.cos().to(device), angle.sin().to(device)
        gen = torch.Generator().manual_seed(seed)
        self.a, self.b, self.mask = torch.nn.ParameterDict(), torch.nn.ParameterDict(), {}
        for name, (n_in, outs) in FUSED.items():
            mask = torch.block_diag(*[torch.ones(RANK, o) for _, o in outs])
            self.mask[name] = mask.to(device)
            a = (torch.rand(LAYERS, n_in, RANK * len(outs), generator=gen) * 2 - 1) / n_in ** 0.5
            self.a[name] = torch.nn.Parameter(a.to(device))
            self.b[name] = torch.nn.Parameter(torch.zeros(LAYERS, *mask.shape, device=device))

    def load(self, state):
        with torch.no_grad():
            for i, layer in enumerate(state):
                for name, (a, b) in layer.items():
                    self.a[name][i].copy_(a)
                    self.b[name][i].copy_(b)

    def state(self):
        cpu = lambda t: t.detach().float().cpu().clone()
        return [{name: (cpu(self.a[name][i]), cpu(self.b[name][i] * self.mask[name])) for name in FUSED} for i in range(LAYERS)]

    def merged(self):
        """The weights with the adapter, once a step; gradients reach the factors through them."""
        # Unbound, not indexed: the gradient of an index is a whole tensor of zeros.
        delta = {k: (SCALE * torch.matmul((self.b[k] * self.mask[k]).transpose(1, 2), self.a[k].transpose(1, 2))).unbind(0) for k in FUSED}
        return [{k: self.base[i][k] + delta[k][i].to(torch.bfloat16) for k in FUSED} for i in range(LAYERS)]

    def forward(self, weights, ids, pos, mask, f):
        cos, sin = self.cos[pos][:, None], self.sin[pos][:, None]
        # Of every layer's kind, so that one compilation does for all.
        x = F.embedding(ids, self.embed).requires_grad_()
        for w, norms in zip(weights, self.norms):
            x = f.block(x, w["qkv"], w["o"], w["gu"], w["down"], *norms, cos, sin, mask)
        return rms_norm(x, self.norm)


def block(x, qkv, o, gu, down, norm1, norm2, cos, sin, mask):
    """One layer over a row of tokens [T, HIDDEN]."""
    h = F.linear(rms_norm(x, norm1), qkv).view(1, len(x), -1, HEAD_DIM)
    qk = rope(h[:, :, :HEADS + KV_HEADS], cos, sin).transpose(1, 2)
    q, k, v = qk[:, :HEADS], qk[:, HEADS:], h[:, :, HEADS + KV_HEADS:].transpose(1, 2)
    k, v = (z.repeat_interleave(HEADS // KV_HEADS, 1) for z in (k, v))
    # A dense mask is for the CPU, where the other has no way back.
    y = flex_attention(q, k, v, block_mask=mask) if isinstance(mask, BlockMask) else F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    x = x + F.linear(y.transpose(1, 2).reshape(len(x), HIDDEN), o)
    return x + F.linear(swiglu(F.linear(rms_norm(x, norm2), gu)), down)


class Functions:
    """A layer, compiled where the device can, and the mask of a row: each token sees its prefix and its branch."""

    def __init__(self, compiled, budget, device):
        self.block = torch.compile(block, dynamic=False, fullgraph=True) if compiled else block
        # The mask reads these two buffers, so that it stays the same function from row to row.
        part, start = self.buffers = [torch.zeros(budget, dtype=torch.int32, device=device) for _ in range(2)]

        def seen(_, __, q, k):
            return (start[q] == start[k]) & (q >= k) & ((part[q] == part[k]) | (part[k] == 0))

        self.seen, self.budget = seen, budget

    def mask(self, part, start):
        """Sequences lie one behind the other, so a block of queries sees a run of blocks that ends with its own."""
        for buffer, now in zip(self.buffers, (part, start)):
            buffer.copy_(now)
        if start.device.type == "cpu":
            at = torch.arange(self.budget)
            return self.seen(0, 0, at[:, None], at[None])
        return self.blocks(start)

    def blocks(self, start):
        n = self.budget // BLOCK
        own = torch.arange(n, dtype=torch.int32, device=start.device)
        first = start[::BLOCK].to(torch.int32) // BLOCK
        run = torch.minimum(first[:, None] + own[None], own[:, None])
        return BlockMask.from_kv_blocks((own - first + 1)[None, None], run[None, None].contiguous(), BLOCK_SIZE=BLOCK, mask_mod=self.seen, seq_lengths=(self.budget, self.budget))


def loss_of(model, weights, batch, f, device):
    ids, learn, pos, part, start = torch.from_numpy(batch).to(device, non_blocking=True)
    h = model(weights, ids.long(), pos.long(), f.mask(part, start), f)
    where = F.pad(learn[1:], (0, 1)).nonzero().squeeze(1)
    logits = F.linear(h[where], model.embed)
    return F.cross_entropy(logits.float(), ids.long()[where + 1])


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--minutes", type=float, default=6, help="in all, from the start of the program")
    p.add_argument("--steps", type=int, default=10 ** 9)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--b-rate", type=float, default=2.0, help="the second factor's rate, in rates of the first")
    p.add_argument("--warm", type=int, default=40, help="steps")
    p.add_argument("--resume", help="a checkpoint, or the folder of an exported adapter, to go on from")
    p.add_argument("--out", default=str(CACHE / "adapter.pt"))
    p.add_argument("--limit", type=int, default=1100, help="tokens of a sequence")
    p.add_argument("--budget", type=int, default=32768, help="tokens of a step")
    p.add_argument("--workers", type=int, default=12)
    p.add_argument("--held-out", type=int, default=8, help="batches of another seed, for a loss at the end")
    p.add_argument("--device", default="cuda")
    p.add_argument("--compiled", action="store_true")
    a = p.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = True
    begun = time.time()
    model = Lora(a.device, a.seed)
    if a.resume:
        model.load(widened(exported_state(a.resume) if Path(a.resume).is_dir() else torch.load(a.resume), a.seed))
    context = mp.get_context("spawn")
    queue, other = context.Queue(48), context.Queue(a.held_out)
    workers = [context.Process(target=producing, args=(queue, a.seed, w, a.limit, a.budget), daemon=True) for w in range(a.workers)]
    workers.append(context.Process(target=producing, args=(other, a.seed + 500, 0, a.limit, a.budget), daemon=True))
    for w in workers:
        w.start()
    held_out = [other.get()[0] for _ in range(a.held_out)]
    workers.pop().terminate()
    f = Functions(a.compiled, a.budget, a.device)
    opt = torch.optim.AdamW([{"params": list(model.a.values()), "part": 1.0}, {"params": list(model.b.values()), "part": a.b_rate}],
                            lr=a.lr, betas=(0.9, 0.98), weight_decay=0.0, fused=a.device == "cuda")

    def judge():
        # With gradients, though none is used: without them everything would be compiled once more.
        weights = model.merged()
        return sum(loss_of(model, weights, b, f, a.device).item() for b in held_out) / max(1, len(held_out))

    loss_of(model, model.merged(), held_out[0], f, a.device).backward()
    opt.zero_grad(set_to_none=True)
    print(f"held out before: {judge():.4f}, ready in {time.time() - begun:.0f} s", flush=True)
    start, step, tokens, branches, done, smooth = time.time(), 0, 0, 0, 0.0, None
    left = 60 * a.minutes - (start - begun)
    while done < 1:
        rate = a.lr * min(1, (step + 1) / a.warm) * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * done)))
        for g in opt.param_groups:
            g["lr"] = rate * g["part"]
        batch, some, size = queue.get()
        loss = loss_of(model, model.merged(), batch, f, a.device)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=True)
        opt.step()
        opt.zero_grad(set_to_none=True)
        step, tokens, branches = step + 1, tokens + size, branches + some
        done = max(step / a.steps, (time.time() - start) / left)
        if step % 50 == 0 or step in (1, 2, 5, 10, 20):
            now = loss.item()
            smooth = now if smooth is None else 0.7 * smooth + 0.3 * now
            took = time.time() - start
            print(f"step {step} loss {smooth:.4f} lr {rate:.2e} tokens {tokens} conversations {branches} {tokens / took:.0f} tok/s {took:.0f}s waiting {queue.qsize()}", flush=True)
        if step % 400 == 0:
            torch.save(model.state(), a.out)
            print(f"held out: {judge():.4f}", flush=True)
    torch.save(model.state(), a.out)
    print(f"done: {step} steps, {tokens} tokens, {branches} conversations, held out {judge():.4f}", flush=True)
    for w in workers:
        w.terminate()


if __name__ == "__main__":
    main()
