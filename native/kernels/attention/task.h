#pragma once

#include <memory>
#include <vector>

#include "kernels/attention/attention.h"

namespace llm_host::cpu {

// Cosines and sines of the rotation at consecutive positions.
struct Angles {
  int position;
  int length;
  float amplitude;
  std::vector<float> frequencies;
  std::vector<float> cosines, sines;  // [length, frequencies]
};

// One call of attention: see attention.h.
struct AttentionTask {
  AttentionShape shape;
  int length;    // queries
  int capacity;  // slots of the caches
  std::shared_ptr<const Angles> angles;
  bool interleaved;
  const float *q, *k, *v, *sinks;
  int64_t q_stride, kv_stride;  // from a position to the next
  void *keys, *values;          // the caches: float32, or float16
  bool halves;
  float* out;

  int64_t out_stride() const { return static_cast<int64_t>(shape.heads) * shape.head_dim; }
  int group() const { return shape.heads / shape.kv_heads; }
  int64_t offset(int kv_head, int slot) const {
    return (static_cast<int64_t>(kv_head) * capacity + slot) * shape.head_dim;
  }
  // Queries that are not answered, the first ones.
  int skipped() const { return length - shape.outputs; }
  // Rows are the queries of all heads that share keys, so that those side by side see nearly the
  // same keys.
  int rows() const { return shape.outputs * group(); }
  int query_of(int row) const { return skipped() + row / group(); }
  int head_of(int kv_head, int row) const { return kv_head * group() + row % group(); }
  float* out_of(int kv_head, int row) const {
    return out + row / group() * out_stride() +
           static_cast<int64_t>(head_of(kv_head, row)) * shape.head_dim;
  }
  // The slots that query `i` sees are [first_seen(i), shape.slot + i].
  int first_seen(int i) const {
    int first = shape.slot + i + 1 - shape.window;
    return shape.window > 0 && first > 0 ? first : 0;
  }
};

// `count` rows [head_dim] of a cache, float32: where they are, or widened into `buffer`.
const float* cached_rows(const AttentionTask& task, const void* cache, int kv_head, int slot,
                         int count, std::vector<float>& buffer);

// The angles of positions [position, position + length), kept for the layers that follow.
std::shared_ptr<const Angles> angles_at(int position, int length, const Rotation& rotation);

// `source` [head_dim], of the `index`-th position, turned.
void rotate(const AttentionTask& task, int index, const float* source, float* target);
// Query `index` of a head, turned.
inline void rotate_query(const AttentionTask& task, int head, int index, float* target) {
  rotate(task, index, task.q + index * task.q_stride + head * task.shape.head_dim, target);
}

// Attention by tiles, for calls with many queries; false where they cannot do it.
bool attend_by_tiles(const AttentionTask& task);
// Attention of a single query, the last one.
void attend_one(const AttentionTask& task);

}  // namespace llm_host::cpu
