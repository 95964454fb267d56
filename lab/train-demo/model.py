"""The Llama forward pass over packed batches, with LoRA merged into the frozen weights at every step."""

import torch
import torch.nn.functional as F

from base_model import EPS, FFN, HEAD_DIM, HEADS, HIDDEN, IM_END, KV_HEADS, LAYERS, ROPE_BASE, load_weights

RANK, SCALE = 32, 2.0
Q, KV = HEADS * HEAD_DIM, KV_HEADS * HEAD_DIM
# name -> (input size, [(Hugging Face name, output size), ...]) for each fused matrix
FUSED = {
    "qkv": (HIDDEN, [("self_attn.q_proj", Q), ("self_attn.k_proj", KV), ("self_attn.v_proj", KV)]),
    "o": (HIDDEN, [("self_attn.o_proj", HIDDEN)]),
    "gu": (HIDDEN, [("mlp.gate_proj", FFN), ("mlp.up_proj", FFN)]),
    "down": (FFN, [("mlp.down_proj", HIDDEN)]),
}


class MergedLinear(torch.autograd.Function):
    """y = x·Wᵀ with W already holding the adapter; gradients go to the two small factors only."""

    @staticmethod
    def forward(ctx, x, w, wt, a, b, mask):
        ctx.save_for_backward(x, wt, a, b, mask)
        return F.linear(x, w)

    @staticmethod
    def backward(ctx, dy):
        x, wt, a, b, mask = ctx.saved_tensors
        dy = dy.contiguous()
        a16, b16 = a.to(x.dtype), b.to(x.dtype)
        da = SCALE * (x.t() @ (dy @ b16.t())).float()
        db = SCALE * ((x @ a16).t() @ dy).float() * mask
        return F.linear(dy, wt), None, None, da, db, None


def rms_norm(x, weight):
    h = x.float()
    return (h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + EPS) * weight).to(x.dtype)


def rope(x, cos, sin):
    h = x.float()
    a, b = h.chunk(2, -1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1).to(x.dtype)


def swiglu(h):
    g, u = h.chunk(2, -1)
    return F.silu(g.float()).mul(u.float()).to(h.dtype)


def causal_softmax(s, bias):
    return torch.softmax(s.float() * HEAD_DIM ** -0.5 + bias, -1).to(s.dtype)


class Model:
    def __init__(self, dtype=torch.bfloat16, compiled=False):
        w = load_weights()
        self.dtype = dtype
        self.embed = w["embed"].to(dtype)
        self.norm = w["norm"]
        self.layers = w["layers"]
        self.norms = [(l["norm1"], l["norm2"]) for l in self.layers]
        self.base = [{k: l[k].to(torch.bfloat16 if dtype == torch.bfloat16 else dtype) for k in FUSED} for l in self.layers]
        self.merged = [dict(l) for l in self.base]
        self.lora, self.mask = None, {}
        freq = 1.0 / ROPE_BASE ** (torch.arange(0, HEAD_DIM, 2).float() / HEAD_DIM)
        angle = torch.outer(torch.arange(2048).float(), freq)
        self.cos, self.sin = angle.cos(), angle.sin()
        opt = (lambda f: torch.compile(f, dynamic=True)) if compiled else (lambda f: f)
        self.rms, self.rope, self.swiglu, self.softmax = map(opt, (rms_norm, rope, swiglu, causal_softmax))

    def add_lora(self, seed=0):
        gen = torch.Generator().manual_seed(seed)
        self.lora = []
        for name, (n_in, outs) in FUSED.items():
            n_out = sum(o for _, o in outs)
            mask = torch.zeros(RANK * len(outs), n_out)
            col = 0
            for k, (_, o) in enumerate(outs):
                mask[k * RANK:(k + 1) * RANK, col:col + o] = 1
                col += o
            self.mask[name] = mask
        for _ in range(LAYERS):
            layer = {}
            for name, (n_in, outs) in FUSED.items():
                a = (torch.rand(n_in, RANK * len(outs), generator=gen) * 2 - 1) / n_in ** 0.5
                b = torch.zeros_like(self.mask[name])
                layer[name] = (a.requires_grad_(), b.requires_grad_())
            self.lora.append(layer)
        return [p for l in self.lora for ab in l.values() for p in ab]

    def lora_state(self):
        return [{k: (a.detach().clone(), b.detach().clone()) for k, (a, b) in l.items()} for l in self.lora]

    @torch.no_grad()
    def load_lora(self, state):
        for layer, saved in zip(self.lora, state):
            for k, (a, b) in saved.items():
                layer[k][0].copy_(a)
                layer[k][1].copy_(b)

    @torch.no_grad()
    def merge(self, rank=0, workers=1):
        for i in range(rank, LAYERS, workers):
            for k, (a, b) in self.lora[i].items():
                delta = b.t() @ a.t()
                self.merged[i][k].copy_(torch.add(self.base[i][k], delta, alpha=SCALE))
                self.merged_t[i][k].copy_(self.merged[i][k].t())

    def _linear(self, i, k, x):
        if self.lora is None or not torch.is_grad_enabled():
            return F.linear(x, self.merged[i][k])
        a, b = self.lora[i][k]
        return MergedLinear.apply(x, self.merged[i][k], self.merged_t[i][k], a, b, self.mask[k])

    def hidden(self, ids, positions=None, mask=None, cache=None):
        """ids [B, T]; returns final hidden states [B·T, HIDDEN]. Right padding is safe: attention is causal."""
        n, t = ids.shape
        if positions is None:
            cos, sin = self.cos[:t, None], self.sin[:t, None]
        else:
            cos, sin = self.cos[positions][:, :, None], self.sin[positions][:, :, None]
        if mask is None:
            mask = torch.ones(t, t, dtype=torch.bool).tril()
        bias = torch.zeros(mask.shape).masked_fill_(~mask, float("-inf"))
        x = F.embedding(ids.reshape(-1), self.embed)
        for i in range(LAYERS):
            n1, n2 = self.norms[i]
            h = self._linear(i, "qkv", self.rms(x, n1)).view(n, t, -1, HEAD_DIM)
            qk = self.rope(h[:, :, :HEADS + KV_HEADS], cos, sin).transpose(1, 2)
            q, k = qk[:, :HEADS], qk[:, HEADS:]
            v = h[:, :, HEADS + KV_HEADS:].transpose(1, 2)
            if cache is not None:
                k, v = cache.update(i, k, v)
            # Plain matrix products: the fused CPU attention is several times slower on the way back.
            s = torch.matmul(q.reshape(n, KV_HEADS, -1, HEAD_DIM), k.transpose(2, 3))
            p = self.softmax(s.view(n, HEADS, t, -1), bias)
            o = torch.matmul(p.view(n, KV_HEADS, -1, p.shape[-1]), v)
            o = o.view(n, HEADS, t, HEAD_DIM).transpose(1, 2).reshape(n * t, HIDDEN)
            x = x + self._linear(i, "o", o)
            x = x + self._linear(i, "down", self.swiglu(self._linear(i, "gu", self.rms(x, n2))))
        return self.rms(x, self.norm)

    def logits(self, hidden):
        return F.linear(hidden, self.embed)


def widened(state, seed):
    """An adapter of a lower rank with further, still idle directions: it computes the same."""
    gen = torch.Generator().manual_seed(seed)

    def wide(name, a, b):
        n_in, outs = FUSED[name]
        rank = a.shape[1] // len(outs)
        more = (torch.rand(n_in, len(outs), RANK - rank, generator=gen) * 2 - 1) / n_in ** 0.5
        a = torch.cat([a.view(n_in, len(outs), rank), more], 2).flatten(1)
        b = F.pad(b.view(len(outs), rank, -1), (0, 0, 0, RANK - rank)).flatten(0, 1)
        return a, b

    return [{name: wide(name, a, b) for name, (a, b) in layer.items()} for layer in state]


class Cache:
    def __init__(self):
        self.k, self.v = [None] * LAYERS, [None] * LAYERS

    def update(self, i, k, v):
        if self.k[i] is not None:
            k, v = torch.cat([self.k[i], k], 2), torch.cat([self.v[i], v], 2)
        self.k[i], self.v[i] = k, v
        return k, v


def shared_weights():
    """Buffers for the merged weights, plain and transposed, that workers fill and read together."""
    base = Model().base
    # oneDNN is twice as fast on a transposed copy as on the product with the untransposed matrix.
    return ([{k: v.clone().share_memory_() for k, v in l.items()} for l in base],
            [{k: v.t().contiguous().share_memory_() for k, v in l.items()} for l in base])


@torch.no_grad()
def generate(model, prompts, max_new=96):
    """Greedy decoding of a left-padded batch of token lists; what all of them begin with is computed once."""
    n, shared = len(prompts), 0
    while n > 1 and all(len(p) > shared + 1 and p[shared] == prompts[0][shared] for p in prompts):
        shared += 1
    cache = Cache()
    if shared:
        model.hidden(torch.tensor([prompts[0][:shared]]), cache=cache)
        for kv in (cache.k, cache.v):
            kv[:] = [x.expand(n, -1, -1, -1) for x in kv]
    t = max(map(len, prompts)) - shared
    ids = torch.zeros(n, t, dtype=torch.long)
    keep = torch.zeros(n, t, dtype=torch.bool)
    for r, p in enumerate(prompts):
        ids[r, t - len(p) + shared:] = torch.tensor(p[shared:])
        keep[r, t - len(p) + shared:] = True
    pos = (keep.cumsum(1) - 1).clamp(min=0) + shared
    # A padded row must still see something, or its softmax is not a number.
    mask = (keep[:, None, :] & torch.ones(t, t, dtype=torch.bool).tril()) | torch.eye(t, dtype=torch.bool)
    mask = torch.cat([torch.ones(n, t, shared, dtype=torch.bool), mask], 2)
    outs, done = [[] for _ in prompts], [False] * n
    h = model.hidden(ids, pos, mask[:, None], cache).view(n, t, -1)[:, -1]
    pos, keep = pos[:, -1:], torch.cat([torch.ones(n, shared, dtype=torch.bool), keep], 1)
    for _ in range(max_new):
        nxt = model.logits(h).argmax(-1)
        for r, token in enumerate(nxt.tolist()):
            done[r] = done[r] or token == IM_END
            if not done[r]:
                outs[r].append(token)
        if all(done):
            break
        pos = pos + 1
        keep = torch.cat([keep, torch.ones(n, 1, dtype=torch.bool)], 1)
        h = model.hidden(nxt[:, None], pos, keep[:, None, None], cache)
    return outs
