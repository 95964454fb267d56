#pragma once

#include "kernels/attention/task.h"

namespace llm_host::cpu {

// Keys are attended to in blocks, which begin at positions that are multiples of this. Each block
// has a softmax of its own, and blocks are merged from the first to the last. So an output has the
// same bits whatever queries are computed beside it, and wherever a chunk of the prompt begins.
constexpr int kKeys = 128;

// Softmax of one query over some keys with scores s.
struct Softmax {
  float maximum;  // of s
  float sum;      // Σ e^(s - maximum); 0 if no key is visible
};

// The last slot of the block that slot `slot` is in, plus 1.
int block_end(const AttentionTask& task, int slot);

// Before any keys: a sink acts as a key with this logit and a value of 0.
Softmax no_keys(const AttentionTask& task, int head);

// Where the results of a block go: of row i to softmaxes[i · stride] and outs[i · stride ·
// head_dim].
struct BlockResults {
  Softmax* softmaxes;
  float* outs;  // Σ e^(s - maximum) · value
  int stride;
};

// Rows [begin, begin + count) of a kv head over slots [first, first + n), which are in one block.
// queries [count, head_dim], rotated.
void attend_block(const AttentionTask& task, int kv_head, int begin, int count,
                  const float* queries, int first, int n, const BlockResults& results);

// Adds a block to `total` and out [size].
void merge(Softmax& total, float* out, const Softmax& block, const float* block_out, int size);

// out [size] /= total.sum, to `target`.
void normalise(const Softmax& total, const float* out, int size, float* target);

}  // namespace llm_host::cpu
