#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/attention_task.h"
#include "kernels/cpu_op.h"
#include "kernels/simd.h"
#include "kernels/thread_pool.h"

namespace llm_host::cpu {
namespace {

// Queries of one head that are answered together, so that a key is loaded once for all of them.
constexpr int kQueries = 16;

void append(const AttentionTask& task, int head, int index) {
  const AttentionShape& s = task.shape;
  int64_t from = index * task.kv_stride + static_cast<int64_t>(head) * s.head_dim;
  int64_t to = task.offset(head, s.slot + index);
  if (!task.halves) {
    rotate(task, index, task.k + from, static_cast<float*>(task.keys) + to);
    std::copy_n(task.v + from, s.head_dim, static_cast<float*>(task.values) + to);
    return;
  }
  static thread_local std::vector<float> key;
  key.resize(static_cast<size_t>(s.head_dim));
  rotate(task, index, task.k + from, key.data());
  simd().narrow(key.data(), s.head_dim, static_cast<uint16_t*>(task.keys) + to);
  simd().narrow(task.v + from, s.head_dim, static_cast<uint16_t*>(task.values) + to);
}

void append(const AttentionTask& task) {
  int heads = task.shape.kv_heads;
  if (task.length == 1) {
    for (int head = 0; head < heads; ++head) append(task, head, 0);
    return;
  }
  parallel_for(task.length, [&](int index) {
    for (int head = 0; head < heads; ++head) append(task, head, index);
  });
}

// Queries [begin, end) of one head.
void attend(const AttentionTask& task, int head, int begin, int end) {
  static thread_local std::vector<float> queries, scores, rows;
  const AttentionShape& s = task.shape;
  int count = end - begin, first = task.first_seen(begin), span = s.slot + end - first;
  int stride = span + 1;  // room for a sink behind the last key
  queries.resize(static_cast<size_t>(count) * s.head_dim);
  scores.resize(static_cast<size_t>(count) * stride);
  for (int i = 0; i < count; ++i) {
    rotate_query(task, head, begin + i, queries.data() + static_cast<int64_t>(i) * s.head_dim);
  }
  int kv_head = head / task.group();
  simd().dots(queries.data(), s.head_dim, count, cached_rows(task, task.keys, kv_head, first, span, rows), s.head_dim, span, s.head_dim,
              scores.data(), stride);
  for (int i = 0; i < count; ++i) {
    take_shares(task, head, begin + i, first, span,
                scores.data() + static_cast<int64_t>(i) * stride);
  }
  simd().weighted_sum(scores.data(), stride, count,
                      cached_rows(task, task.values, kv_head, first, span, rows), s.head_dim, span,
                      s.head_dim, task.out + begin * task.out_stride() + head * s.head_dim,
                      static_cast<int>(task.out_stride()));
}

void attend_blocks(const AttentionTask& task) {
  int heads = task.shape.heads, blocks = (task.length + kQueries - 1) / kQueries;
  parallel_for(heads * blocks, [&](int item) {
    // The last blocks see the most keys: they go first, so that no thread is left with one at the
    // end.
    int block = blocks - 1 - item / heads;
    int begin = block * kQueries;
    attend(task, item % heads, begin, std::min(task.length, begin + kQueries));
  });
}

void set_inputs(AttentionTask& task, const std::vector<mx::array>& in, bool side_by_side) {
  const AttentionShape& s = task.shape;
  int64_t queries = task.out_stride(), keys = static_cast<int64_t>(s.kv_heads) * s.head_dim;
  task.length = in[0].shape(1);
  task.q = in[0].data<float>();
  task.k = side_by_side ? task.q + queries : in[1].data<float>();
  task.v = side_by_side ? task.k + keys : in[2].data<float>();
  task.q_stride = side_by_side ? queries + 2 * keys : queries;
  task.kv_stride = side_by_side ? task.q_stride : keys;
  size_t next = side_by_side ? 1 : 3;
  task.capacity = in[next].shape(2);
  task.keys = const_cast<uint8_t*>(in[next].data<uint8_t>());
  task.values = const_cast<uint8_t*>(in[next + 1].data<uint8_t>());
  task.halves = in[next].dtype() == mx::float16;
  task.sinks = in.size() > next + 2 ? in[next + 2].data<float>() : nullptr;
}

void run(const AttentionTask& task) {
  append(task);
  if (task.length == 1) return attend_one(task);
  if (!task.shape.fast || !attend_by_tiles(task)) attend_blocks(task);
}

}  // namespace

const float* cached_rows(const AttentionTask& task, const void* cache, int kv_head, int slot,
                         int count, std::vector<float>& buffer) {
  int64_t at = task.offset(kv_head, slot);
  if (!task.halves) return static_cast<const float*>(cache) + at;
  int size = count * task.shape.head_dim;
  if (buffer.size() < static_cast<size_t>(size)) buffer.resize(static_cast<size_t>(size));
  simd().widen(static_cast<const uint16_t*>(cache) + at, size, buffer.data());
  return buffer.data();
}

std::shared_ptr<const Angles> angles_at(int position, int length, const Rotation& rotation) {
  static thread_local std::shared_ptr<const Angles> last;
  if (last && last->position == position && last->length == length &&
      last->amplitude == rotation.amplitude && last->frequencies == rotation.frequencies) {
    return last;
  }
  auto angles = std::make_shared<Angles>(
      Angles{position, length, rotation.amplitude, rotation.frequencies, {}, {}});
  for (int i = 0; i < length; ++i) {
    for (float frequency : rotation.frequencies) {
      float angle = static_cast<float>(position + i) * frequency;
      angles->cosines.push_back(rotation.amplitude * std::cos(angle));
      angles->sines.push_back(rotation.amplitude * std::sin(angle));
    }
  }
  return last = angles;
}

void rotate(const AttentionTask& task, int index, const float* source, float* target) {
  int pairs = static_cast<int>(task.angles->frequencies.size());
  const float* cosines = task.angles->cosines.data() + static_cast<int64_t>(index) * pairs;
  const float* sines = task.angles->sines.data() + static_cast<int64_t>(index) * pairs;
  // Channel c pairs with c + pairs, or 2c with 2c + 1.
  if (task.interleaved) {
    for (int c = 0; c < pairs; ++c) {
      float a = source[2 * c], b = source[2 * c + 1];
      target[2 * c] = a * cosines[c] - b * sines[c];
      target[2 * c + 1] = b * cosines[c] + a * sines[c];
    }
  } else {
    for (int c = 0; c < pairs; ++c) {
      float a = source[c], b = source[c + pairs];
      target[c] = a * cosines[c] - b * sines[c];
      target[c + pairs] = b * cosines[c] + a * sines[c];
    }
  }
  std::copy(source + 2 * pairs, source + task.shape.head_dim, target + 2 * pairs);
}

void take_shares(const AttentionTask& task, int head, int index, int first, int span, float* row) {
  int start = std::max(0, task.first_seen(index) - first);
  int stop = task.shape.slot + index + 1 - first;
  bool sink = task.sinks != nullptr;
  if (sink) row[stop] = task.sinks[head] / task.shape.scale;
  simd().softmax(row + start, stop - start + (sink ? 1 : 0), task.shape.scale);
  std::fill(row, row + start, 0.0f);
  std::fill(row + stop, row + std::max(span, stop + (sink ? 1 : 0)), 0.0f);
}

mx::array attention(const std::vector<mx::array>& projected, const mx::array& keys,
                    const mx::array& values, const AttentionShape& shape, const Rotation& rotation,
                    const std::optional<mx::array>& sinks) {
  std::vector<mx::array> inputs = projected;
  inputs.insert(inputs.end(), {keys, values});
  if (sinks) inputs.push_back(*sinks);
  bool side_by_side = projected.size() == 1;
  mx::Shape out_shape{1, projected[0].shape(1), shape.heads * shape.head_dim};
  return cpu_op("Attention", std::move(out_shape), std::move(inputs),
                [shape, side_by_side, frequencies = rotation.frequencies,
                 amplitude = rotation.amplitude, interleaved = rotation.interleaved](
                    const std::vector<mx::array>& in, mx::array& out) {
                  AttentionTask task{};
                  task.shape = shape;
                  task.interleaved = interleaved;
                  task.out = out.data<float>();
                  set_inputs(task, in, side_by_side);
                  task.angles = angles_at(shape.position, task.length,
                                          {frequencies, amplitude, interleaved});
                  run(task);
                });
}

}  // namespace llm_host::cpu
