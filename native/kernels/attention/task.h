#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kernels/attention/attention.h"

namespace llm_host::cpu {

// Rotary embeddings: cosines and sines at positions [position, position + length), times
// `amplitude`.
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
  int capacity;  // of the caches, in slots
  std::shared_ptr<const Angles> angles;
  bool interleaved;
  const float *q, *k, *v, *sinks, *query_weights;  // the last two may be null
  int64_t q_stride, kv_stride;                     // floats from one position to the next
  void *keys, *values;                             // the caches
  bool float16;                                    // whether the caches are float16; else float32
  float* out;

  int64_t out_stride() const { return static_cast<int64_t>(shape.heads) * shape.head_dim; }
  int group() const { return shape.heads / shape.kv_heads; }
  int64_t offset(int kv_head, int slot) const {
    return (static_cast<int64_t>(kv_head) * capacity + slot) * shape.head_dim;
  }
  // Queries whose output is not wanted: the first ones.
  int skipped() const { return length - shape.outputs; }
  // A row is one query of one head. The rows of a kv head are ordered by query, then by head, so
  // that neighbours see nearly the same keys.
  int rows() const { return shape.outputs * group(); }
  int query_of(int row) const { return skipped() + row / group(); }
  int head_of(int kv_head, int row) const { return kv_head * group() + row % group(); }
  float* out_of(int kv_head, int row) const {
    return out + row / group() * out_stride() +
           static_cast<int64_t>(head_of(kv_head, row)) * shape.head_dim;
  }
  // Query `i` sees slots [first_visible(i), shape.slot + i].
  int first_visible(int i) const {
    int first = shape.slot + i + 1 - shape.window;
    return shape.window > 0 && first > 0 ? first : 0;
  }
};

// Slots [slot, slot + count) of one head of a cache as float32 [count, head_dim]: in place, or
// widened into `buffer`.
const float* cached_rows(const AttentionTask& task, const void* cache, int kv_head, int slot,
                         int count, std::vector<float>& buffer);

// Angles of positions [position, position + length). Those used lately are kept, as all layers of a
// step use the same, for each of its sequences.
std::shared_ptr<const Angles> angles_at(int position, int length, const Rotation& rotation);

// target = `source` [head_dim], rotated to position `index` of the angles.
void rotate(const Angles& angles, bool interleaved, int index, int head_dim, const float* source,
            float* target);
// Rotates to the position of query `index`.
inline void rotate(const AttentionTask& task, int index, const float* source, float* target) {
  rotate(*task.angles, task.interleaved, index, task.shape.head_dim, source, target);
}
// target = query `index` of a head, rotated.
inline void rotate_query(const AttentionTask& task, int head, int index, float* target) {
  int size = task.shape.head_dim;
  rotate(task, index, task.q + index * task.q_stride + head * size, target);
  for (int c = 0; task.query_weights != nullptr && c < size; ++c)
    target[c] *= task.query_weights[c];
}

// Attention of many queries by the matrix unit; false if there is none or the shape does not fit.
bool attend_by_tiles(const AttentionTask& task);
// Attention of the last query only of each task, split over the keys.
void attend_last(std::span<const AttentionTask> tasks);
// Attention of many queries, split over them.
void attend_many(const AttentionTask& task);
// Attends for rows [begin, end) of a kv head, on the calling thread.
void attend_rows(const AttentionTask& task, int kv_head, int begin, int end);

}  // namespace llm_host::cpu
