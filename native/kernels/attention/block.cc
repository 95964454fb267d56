#include "kernels/attention/block.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/simd/simd.h"

namespace llm_host::cpu {
namespace {

// Turns the scores of slots [first, first + n) into e^(score - maximum) in place; masked keys get
// 0.
Softmax softmax(const AttentionTask& task, int query, int first, int n, float* scores) {
  int from = std::max(0, task.first_visible(query) - first);
  int to = std::min(n, task.shape.slot + query + 1 - first);
  if (to <= from) {
    std::fill(scores, scores + n, 0.0f);
    return {-INFINITY, 0};
  }
  float scale = task.shape.scale, cap = task.shape.cap;
  if (cap > 0) {
    for (int i = from; i < to; ++i) scores[i] = cap * std::tanh(scores[i] * scale / cap);
    scale = 1;
  }
  float maximum = simd().maximum(scores + from, to - from);
  float sum = simd().exponentials(scores + from, to - from, scale, maximum);
  std::fill(scores, scores + from, 0.0f);
  std::fill(scores + to, scores + n, 0.0f);
  return {maximum * scale, sum};
}

// So many rows read a block of float16 keys as it is; for more it is widened once.
constexpr int kFewRows = 8;

const uint16_t* float16_rows(const AttentionTask& task, const void* cache, int kv_head, int slot) {
  return static_cast<const uint16_t*>(cache) + task.offset(kv_head, slot);
}

}  // namespace

int block_end(const AttentionTask& task, int slot) {
  int position = task.shape.position - task.shape.slot + slot;
  return slot + kKeys - position % kKeys;
}

Softmax no_keys(const AttentionTask& task, int head) {
  return task.sinks != nullptr ? Softmax{task.sinks[head], 1} : Softmax{-INFINITY, 0};
}

void attend_block(const AttentionTask& task, int kv_head, int begin, int count,
                  const float* queries, int first, int n, const BlockResults& results) {
  static thread_local std::vector<float> scores, widened;
  int head_dim = task.shape.head_dim;
  scores.resize(static_cast<size_t>(count) * kKeys);
  bool as_it_is = task.float16 && count <= kFewRows;
  if (as_it_is) {
    simd().dots_float16(queries, head_dim, count, float16_rows(task, task.keys, kv_head, first),
                        head_dim, n, head_dim, scores.data(), kKeys);
  } else {
    simd().dots(queries, head_dim, count, cached_rows(task, task.keys, kv_head, first, n, widened),
                head_dim, n, head_dim, scores.data(), kKeys);
  }
  for (int i = 0; i < count; ++i) {
    results.softmaxes[static_cast<int64_t>(i) * results.stride] = softmax(
        task, task.query_of(begin + i), first, n, scores.data() + static_cast<int64_t>(i) * kKeys);
  }
  if (as_it_is) {
    return simd().weighted_sum_float16(scores.data(), kKeys, count,
                                       float16_rows(task, task.values, kv_head, first), head_dim, n,
                                       head_dim, results.outs, results.stride * head_dim);
  }
  simd().weighted_sum(scores.data(), kKeys, count,
                      cached_rows(task, task.values, kv_head, first, n, widened), head_dim, n,
                      head_dim, results.outs, results.stride * head_dim);
}

void merge(Softmax& total, float* out, const Softmax& block, const float* block_out, int size) {
  if (block.sum == 0) return;
  float top = std::max(total.maximum, block.maximum);
  float keep = std::exp(total.maximum - top), add = std::exp(block.maximum - top);
  total = {top, total.sum * keep + block.sum * add};
  simd().blend(keep, out, add, block_out, size);
}

void normalise(const Softmax& total, const float* out, int size, float* target) {
  float factor = 1 / total.sum;
  for (int c = 0; c < size; ++c) target[c] = out[c] * factor;
}

}  // namespace llm_host::cpu
