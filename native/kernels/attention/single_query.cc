#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/attention/task.h"
#include "kernels/base/thread_pool.h"
#include "kernels/simd/simd.h"

namespace llm_host::cpu {
namespace {

// Keys of a part, which is one thread's work: enough to outweigh the merge at the end.
constexpr int kKeys = 128;

// Softmax of one head over a part of the keys with scores s.
struct Softmax {
  float maximum;  // of s
  float sum;      // Σ e^(s - maximum)
};

struct Parts {
  int first, last;                 // visible slots: [first, last)
  int count;                       // parts of kKeys slots
  std::vector<float> queries;      // [heads, head_dim], rotated
  std::vector<Softmax> softmaxes;  // [heads, count]
  std::vector<float> outs;         // [heads, count, head_dim]: Σ e^(s - maximum) · value
};

// Part `part` of the keys of kv head `kv_head`, for all query heads that share it, so that each key
// is read once.
void attend_part(const AttentionTask& task, Parts& parts, int kv_head, int part) {
  static thread_local std::vector<float> scores, rows;
  const AttentionShape& s = task.shape;
  int begin = parts.first + part * kKeys, n = std::min(kKeys, parts.last - begin);
  int group = task.group(), head = kv_head * group;
  scores.resize(static_cast<size_t>(group) * kKeys);
  simd().dots(parts.queries.data() + static_cast<int64_t>(head) * s.head_dim, s.head_dim, group,
              cached_rows(task, task.keys, kv_head, begin, n, rows), s.head_dim, n, s.head_dim,
              scores.data(), kKeys);
  for (int i = 0; i < group; ++i) {
    float* row = scores.data() + static_cast<int64_t>(i) * kKeys;
    float maximum = simd().maximum(row, n);
    float sum = simd().exponentials(row, n, s.scale, maximum);
    parts.softmaxes[static_cast<size_t>(head + i) * parts.count + part] = {maximum * s.scale, sum};
  }
  simd().weighted_sum(
      scores.data(), kKeys, group, cached_rows(task, task.values, kv_head, begin, n, rows),
      s.head_dim, n, s.head_dim,
      parts.outs.data() + (static_cast<int64_t>(head) * parts.count + part) * s.head_dim,
      parts.count * s.head_dim);
}

// The output of one head from all parts: each is rescaled to the overall maximum.
void merge_parts(const AttentionTask& task, const Parts& parts, int head) {
  int size = task.shape.head_dim;
  const Softmax* softmaxes = parts.softmaxes.data() + static_cast<int64_t>(head) * parts.count;
  const float* outs = parts.outs.data() + static_cast<int64_t>(head) * parts.count * size;
  float maximum = task.sinks != nullptr ? task.sinks[head] : softmaxes[0].maximum;
  for (int i = 0; i < parts.count; ++i) maximum = std::max(maximum, softmaxes[i].maximum);
  float sum = task.sinks != nullptr ? std::exp(task.sinks[head] - maximum) : 0;
  for (int i = 0; i < parts.count; ++i) {
    sum += softmaxes[i].sum * std::exp(softmaxes[i].maximum - maximum);
  }
  float* out = task.out + static_cast<int64_t>(head) * size;
  std::fill(out, out + size, 0.0f);
  for (int i = 0; i < parts.count; ++i) {
    float factor = std::exp(softmaxes[i].maximum - maximum) / sum;
    for (int c = 0; c < size; ++c) out[c] += factor * outs[static_cast<int64_t>(i) * size + c];
  }
}

}  // namespace

void attend_one(const AttentionTask& task) {
  static thread_local Parts parts;
  const AttentionShape& s = task.shape;
  int query = task.length - 1;
  parts.first = task.first_visible(query);
  parts.last = s.slot + query + 1;
  parts.count = (parts.last - parts.first + kKeys - 1) / kKeys;
  parts.queries.resize(static_cast<size_t>(s.heads) * s.head_dim);
  parts.softmaxes.resize(static_cast<size_t>(s.heads) * parts.count);
  parts.outs.resize(static_cast<size_t>(s.heads) * parts.count * s.head_dim);
  for (int head = 0; head < s.heads; ++head) {
    rotate_query(task, head, query, parts.queries.data() + static_cast<int64_t>(head) * s.head_dim);
  }
  Parts& shared = parts;
  parallel_for(s.kv_heads * parts.count, [&](int item) {
    attend_part(task, shared, item / shared.count, item % shared.count);
  });
  for (int head = 0; head < s.heads; ++head) merge_parts(task, parts, head);
}

}  // namespace llm_host::cpu
